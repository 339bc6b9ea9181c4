//! A hash of sequences that composes under concatenation.
//!
//! A sequence of elements with hashes h₀ … hₙ₋₁ has the value Σ hᵢ · xⁿ⁻¹⁻ⁱ modulo the Mersenne prime
//! p = 2¹²⁷ − 1, at a fixed point x (Rabin and Karp). So the value of `a ++ b` follows from those of `a` and `b`
//! and the length of `b`, and a balanced tree keeps it up to date along one path. Element hashes behave like random
//! numbers; two different sequences of length n then collide with a probability of about n / p.
//!
//! A prime modulus matters: modulo a power of two, the Thue–Morse sequence and its complement collide at every x.

/// The modulus.
pub(super) const P: u128 = (1 << 127) - 1;

/// The point of evaluation: 127 fractional bits of e, below `P`.
const X: u128 = 0x5bf0_a8b1_4576_9535_5fb8_ac40_4e7a_79e3;

/// Bits of an exponent that one table of powers covers.
const DIGIT: u32 = 6;

/// `POWERS[d][i]` is x to the power of i · 64ᵈ.
static POWERS: [[u128; 1 << DIGIT]; 6] = powers();

/// Reduces to at most `P` + 1.
const fn fold(value: u128) -> u128 {
    (value & P) + (value >> 127)
}

/// Reduces to a number below `P`.
pub(super) const fn reduce(value: u128) -> u128 {
    let folded = fold(value);
    if folded >= P { folded - P } else { folded }
}

/// The product of two numbers below `P`, below `P`.
const fn multiply(a: u128, b: u128) -> u128 {
    const LOW: u128 = (1 << 64) - 1;
    let (high_a, low_a) = (a >> 64, a & LOW);
    let (high_b, low_b) = (b >> 64, b & LOW);
    // The high halves are below 2⁶³, so that neither sum overflows.
    let middle = high_a * low_b + low_a * high_b;
    // 2¹²⁸ = 2 and 2¹²⁷ = 1.
    let outer = fold(fold(low_a * low_b) + 2 * (high_a * high_b));
    let middle_low = (middle & ((1 << 63) - 1)) << 64;
    reduce(fold(outer + middle_low) + (middle >> 63))
}

const fn powers() -> [[u128; 1 << DIGIT]; 6] {
    let mut all = [[1; 1 << DIGIT]; 6];
    let (mut step, mut digit) = (X, 0);
    while digit < all.len() {
        let mut i = 1;
        while i < all[digit].len() {
            all[digit][i] = multiply(all[digit][i - 1], step);
            i += 1;
        }
        step = multiply(all[digit][i - 1], step);
        digit += 1;
    }
    all
}

/// x to this power.
fn power(mut exponent: usize) -> u128 {
    let digit = |exponent: usize| exponent % (1 << DIGIT);
    let mut result = POWERS[0][digit(exponent)];
    for table in &POWERS[1..] {
        exponent >>= DIGIT;
        if exponent == 0 {
            break;
        }
        result = multiply(result, table[digit(exponent)]);
    }
    result
}

/// The value of a sequence with one more element at its end.
pub(super) fn push(value: u128, element: u128) -> u128 {
    reduce(multiply(value, X) + reduce(element))
}

/// The value of two sequences, one after the other; the second has this length.
pub(super) fn concat(left: u128, right: u128, right_len: usize) -> u128 {
    reduce(multiply(left, power(right_len)) + right)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product by shifts and additions.
    fn slow_product(a: u128, b: u128) -> u128 {
        (0..127).rev().fold(0, |sum, bit| {
            let twice = reduce(sum * 2);
            if b >> bit & 1 == 1 { reduce(twice + a) } else { twice }
        })
    }

    #[test]
    fn products_are_those_of_the_definition() {
        let numbers = [0, 1, 2, X, P - 1, P - 2, 1 << 64, (1 << 64) - 1, (1 << 126) + 12_345, P >> 1];
        for a in numbers {
            for b in numbers {
                assert_eq!(multiply(a, b), slow_product(a, b), "{a} {b}");
            }
        }
    }

    #[test]
    fn powers_are_products() {
        let mut product = 1;
        for exponent in 0..10_000 {
            assert_eq!(power(exponent), product, "{exponent}");
            product = multiply(product, X);
        }
        let (a, b) = (123_456_789, 9_876_543_210);
        assert!(b < 1 << (DIGIT * 6));
        assert_eq!(multiply(power(a), power(b - a)), power(b));
    }

    #[test]
    fn thue_morse_sequences_differ() {
        let (a, b) = (u128::MAX / 3, u128::MAX / 7);
        let hash = |first: u128, second: u128| {
            (0..1_u32 << 17)
                .fold(0, |value, i| push(value, if i.count_ones() % 2 == 0 { first } else { second }))
        };
        assert_ne!(hash(a, b), hash(b, a));
    }
}
