struct node {
  int value;
  struct node *next;
};

int main(void) {
  struct node *list = 0;
  for (int i = 0; i < 2; i++) list = &(struct node){i, list};
  return list->value;
}
