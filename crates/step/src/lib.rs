//! What the interpreters of languages share.
