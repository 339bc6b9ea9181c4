// A request is completed twice.
#include <dally.h>

dally_request request = DALLY_REQUEST_INITIALIZER;

int main(void) {
  dally_submit(&request);
  dally_complete(&request, 0);
  dally_complete(&request, 0);
  return 0;
}
