//! An async worker removes a job from a queue, and awaits before it has finished it: if it is cancelled there, the job
//! is lost.

use std::sync::Arc;

use shuttle::future::{self, yield_now};
use shuttle::sync::Mutex;

#[derive(Default)]
struct Jobs {
    waiting: Mutex<Vec<u32>>,
    done: Mutex<Vec<u32>>,
}

async fn work(jobs: Arc<Jobs>) {
    loop {
        let Some(job) = jobs.waiting.lock().unwrap().pop() else { return };
        yield_now().await;
        jobs.done.lock().unwrap().push(job);
    }
}

pub fn run() {
    future::block_on(async {
        let jobs = Arc::new(Jobs::default());
        *jobs.waiting.lock().unwrap() = vec![1, 2];
        let worker = future::spawn(work(Arc::clone(&jobs)));
        worker.abort();
        let _cancelled = worker.await;
        let (waiting, done) = (jobs.waiting.lock().unwrap().len(), jobs.done.lock().unwrap().len());
        assert_eq!(waiting + done, 2, "a job is lost");
    });
}
