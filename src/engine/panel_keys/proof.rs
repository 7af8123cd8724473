//! The text that a browser's extension signs, and its verification. Pure.
//!
//! The signed text names the purpose, the challenge of this one connection, the daemon's home and the key itself, so
//! that a signature is valid for nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_base::fingerprint::Fingerprint;
use gstack_protocol::panel_key::PanelProve;
use p256::ecdsa::signature::Verifier;
use p256::ecdsa::{Signature, VerifyingKey};

/// The first line of the signed text.
const PURPOSE: &str = "gstack panel proof 1";
/// An uncompressed point on P-256, in bytes.
const POINT: usize = 65;
/// A signature in the WebCrypto format, in bytes.
const SIGNATURE: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    #[error("the public key is not an uncompressed point on P-256 in base64")]
    Key,
    #[error("the signature is not 64 bytes in base64")]
    Shape,
    #[error("the signature does not prove this key for this connection")]
    Wrong,
}

/// Returns the text that the extension signs. `public_key` is in its wire form.
pub fn signed_text(challenge: &str, home: &str, public_key: &str) -> String {
    format!("{PURPOSE}\n{challenge}\n{home}\n{public_key}")
}

/// Returns the fingerprint of the key that is proved for this challenge and home. Fails if the key or the signature is
/// wrong.
pub fn check(prove: &PanelProve, challenge: &str, home: &str) -> Result<Fingerprint, ProofError> {
    let point = STANDARD.decode(&prove.public_key).ok().filter(|point| point.len() == POINT).ok_or(ProofError::Key)?;
    let key = VerifyingKey::from_sec1_bytes(&point).map_err(|_| ProofError::Key)?;
    let bytes = STANDARD.decode(&prove.signature).ok().filter(|bytes| bytes.len() == SIGNATURE);
    let signature = bytes.and_then(|bytes| Signature::from_slice(&bytes).ok()).ok_or(ProofError::Shape)?;
    let text = signed_text(challenge, home, &prove.public_key);
    key.verify(text.as_bytes(), &signature).map_err(|_| ProofError::Wrong)?;
    Ok(Fingerprint::of(&point))
}

#[cfg(test)]
mod tests {
    use super::*;
    use p256::ecdsa::SigningKey;
    use p256::ecdsa::signature::Signer;

    /// Returns the proof of an extension with this key.
    fn proved(seed: u8, challenge: &str, home: &str) -> PanelProve {
        let key = SigningKey::from_slice(&[seed; 32]).unwrap();
        let public_key = STANDARD.encode(key.verifying_key().to_sec1_point(false).as_bytes());
        let signature: Signature = key.sign(signed_text(challenge, home, &public_key).as_bytes());
        PanelProve { public_key, signature: STANDARD.encode(signature.to_bytes()) }
    }

    #[test]
    fn a_proof_holds_for_one_key_challenge_and_home() {
        let proof = proved(1, "challenge", "home");
        let known = check(&proof, "challenge", "home").unwrap();
        assert_eq!(check(&proved(1, "another", "home"), "another", "home").unwrap(), known);
        assert_ne!(check(&proved(2, "challenge", "home"), "challenge", "home").unwrap(), known);
        assert_eq!(check(&proof, "another", "home"), Err(ProofError::Wrong));
        assert_eq!(check(&proof, "challenge", "another"), Err(ProofError::Wrong));
        let foreign = PanelProve { public_key: proved(2, "challenge", "home").public_key, ..proof.clone() };
        assert_eq!(check(&foreign, "challenge", "home"), Err(ProofError::Wrong));
    }

    #[test]
    fn odd_keys_and_signatures_are_refused() {
        let proof = proved(1, "c", "h");
        let point = STANDARD.decode(&proof.public_key).unwrap();
        let mut off_curve = point.clone();
        off_curve[64] ^= 1;
        let compressed = [&[2 + (point[64] & 1)], &point[1..33]].concat();
        for key in [vec![], vec![0], vec![4; 65], off_curve, compressed, [&point[..], &[0]].concat()] {
            let odd = PanelProve { public_key: STANDARD.encode(&key), ..proof.clone() };
            assert_eq!(check(&odd, "c", "h"), Err(ProofError::Key), "{key:?}");
        }
        for signature in [vec![], vec![0; 64], vec![1; 63], vec![255; 64]] {
            let odd = PanelProve { signature: STANDARD.encode(&signature), ..proof.clone() };
            assert_eq!(check(&odd, "c", "h"), Err(ProofError::Shape), "{signature:?}");
        }
        let odd = PanelProve { signature: STANDARD.encode([1; 64]), ..proof.clone() };
        assert_eq!(check(&odd, "c", "h"), Err(ProofError::Wrong));
        assert_eq!(check(&PanelProve { public_key: "ä".to_owned(), ..proof }, "c", "h"), Err(ProofError::Key));
    }
}
