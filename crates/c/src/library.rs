//! The part of dally that is written in C: the headers that programs include, and the library under them.
//!
//! Headers define macros and little else: types and functions are in the *prelude*, which is parsed before the
//! program. Its names are in a scope around those of the program, which may hence declare and define them itself.
//! The library is built from the operations of [`crate::hir::Builtin`].

macro_rules! headers {
    ($($name:literal,)*) => {
        /// The headers: names as programs include them, and texts.
        pub const HEADERS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../include/", $name))),)*];
    };
}

headers! {
    "alloca.h",
    "assert.h",
    "ctype.h",
    "err.h",
    "dally.h",
    "errno.h",
    "fcntl.h",
    "features.h",
    "float.h",
    "genmc.h",
    "genmc_internal.h",
    "getopt.h",
    "inttypes.h",
    "iso646.h",
    "limits.h",
    "locale.h",
    "malloc.h",
    "math.h",
    "memory.h",
    "poll.h",
    "pthread.h",
    "sched.h",
    "semaphore.h",
    "setjmp.h",
    "signal.h",
    "smack.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "stdnoreturn.h",
    "string.h",
    "strings.h",
    "sys/cdefs.h",
    "sys/mman.h",
    "sys/stat.h",
    "sys/syscall.h",
    "sys/time.h",
    "sys/types.h",
    "sys/wait.h",
    "syslog.h",
    "threads.h",
    "time.h",
    "uchar.h",
    "unistd.h",
    "wait.h",
    "wchar.h",
}

/// Which variants of the library a program needs. The plain ones have fewer states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LibraryOptions {
    /// Waits on condition variables may end without a signal.
    pub spurious: bool,
    /// True if an allocation may be at the address of an object that was freed.
    pub reuse: bool,
    /// Signed overflow is a bug, also in functions such as `abs`.
    pub overflow: bool,
    /// The program calls `pthread_cancel`.
    pub cancellation: bool,
    /// The program has cleanup handlers, or keys with destructors.
    pub end_hooks: bool,
    /// The program has functions that run at its end: `atexit`, or destructors.
    pub exit_hooks: bool,
    /// `abort()` ends an execution without a verdict, as in the programs of SV-COMP.
    pub silent_abort: bool,
}

impl LibraryOptions {
    /// The variants that a program needs, by the names that its text mentions.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut options = LibraryOptions::default();
        for text in texts {
            options.cancellation |= text.contains("pthread_cancel");
            options.end_hooks |= ["pthread_key_create", "tss_create", "__dally_cleanup_push"]
                .iter()
                .any(|name| text.contains(name));
            options.exit_hooks |= ["atexit", "destructor"].iter().any(|name| text.contains(name));
            options.silent_abort |= text.contains("reach_error") || text.contains("__VERIFIER_");
        }
        options
    }
}

macro_rules! part {
    ($name:literal) => {
        include_str!(concat!("../lib/", $name, ".c"))
    };
}

/// The text of the library, in an order in which names are declared before they are used.
pub fn prelude(options: &LibraryOptions) -> String {
    let constant =
        |name: &str, value: bool| format!("static const int __dally_{name} = {};\n", u8::from(value));
    let constants = constant("spurious", options.spurious)
        + &constant("reuse", options.reuse)
        + &constant("overflow", options.overflow);
    let parts = [
        constants.as_str(),
        part!("types"),
        part!("memory"),
        part!("bits"),
        part!("ctype"),
        part!("strings"),
        part!("format"),
        part!("once"),
        if options.end_hooks { part!("end_hooks") } else { part!("end_plain") },
        if options.cancellation { part!("cancel") } else { part!("cancel_never") },
        part!("threads"),
        part!("mutexes"),
        part!("conditions"),
        part!("rwlocks"),
        part!("semaphores"),
        part!("c11threads"),
        part!("stdlib"),
        if options.exit_hooks { part!("exit_hooks") } else { part!("exit_plain") },
        part!("stdio"),
        part!("variadic"),
        part!("system"),
        if options.silent_abort { part!("abort_silent") } else { part!("abort_bug") },
        part!("assertions"),
        part!("nondet"),
        part!("tools"),
        part!("events"),
    ];
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_follow_the_names_in_the_program() {
        assert_eq!(LibraryOptions::of(["int main() { return 0; }"]), LibraryOptions::default());
        assert!(LibraryOptions::of(["pthread_cancel(t);"]).cancellation);
        assert!(LibraryOptions::of(["__attribute__((destructor)) void f(void) {}"]).exit_hooks);
        assert!(LibraryOptions::of(["", "tss_create(&key, 0);"]).end_hooks);
        assert!(
            prelude(&LibraryOptions { silent_abort: true, ..Default::default() })
                .contains("__dally_assume(0)")
        );
    }

    #[test]
    fn the_prelude_has_no_directives() {
        let everything = LibraryOptions {
            spurious: true,
            reuse: true,
            overflow: true,
            cancellation: true,
            end_hooks: true,
            exit_hooks: true,
            silent_abort: true,
        };
        for options in [LibraryOptions::default(), everything] {
            assert!(!prelude(&options).lines().any(|line| line.starts_with('#')));
        }
    }
}
