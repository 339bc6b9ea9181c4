/* Requests of `dally.h`: 0 = idle, 1 = pending, 2 = claimed by the one who will complete it, 3 = completed. */
typedef struct { int __state; int __status; } dally_request;

void dally_submit(dally_request *r) {
  __dally_check(r->__state != 1 && r->__state != 2, "dally_submit: the request is still pending");
  r->__state = 1;
  r->__status = 0;
}

int dally_claim(dally_request *r) {
  if (r->__state != 1) return 0;
  r->__state = 2;
  return 1;
}

int dally_cancel(dally_request *r) {
  if (r->__state != 1) return 0;
  r->__state = 3;
  r->__status = -1;
  return 1;
}

void dally_complete(dally_request *r, int status) {
  __dally_check(r->__state != 0, "dally_complete: the request was not submitted");
  __dally_check(r->__state != 3, "dally_complete: the request was completed or cancelled already");
  r->__state = 3;
  r->__status = status;
}

int dally_is_completed(const dally_request *r) { return r->__state == 3; }
int dally_status(const dally_request *r) { return r->__status; }
void dally_wait_for(dally_request *r) { __dally_await(r->__state == 3, "the completion of ", r); }
