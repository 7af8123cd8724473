//! A panel's key for tests that play a browser, and its confirmation by the real `gstack panels confirm`.
//!
//! Written from docs/PROTOCOL.md; shared by test programs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};

/// The key of a browser with this name: the same each time.
pub struct PanelKey(SigningKey);

impl PanelKey {
    pub fn of(name: &str) -> Self {
        let mut seed = [7; 32];
        for (at, byte) in name.bytes().enumerate() {
            seed[at % 31] ^= byte.rotate_left(u32::try_from(at / 31).unwrap());
        }
        Self(SigningKey::from_slice(&seed).unwrap())
    }

    /// Returns the parameters of `panel.prove` for a welcome.
    pub fn proof(&self, welcome: &Value) -> Value {
        self.proof_of(welcome["challenge"].as_str().unwrap(), welcome["homeId"].as_str().unwrap())
    }

    pub fn proof_of(&self, challenge: &str, home: &str) -> Value {
        let key = STANDARD.encode(self.0.verifying_key().to_sec1_point(false).as_bytes());
        let text = format!("gstack panel proof 1\n{challenge}\n{home}\n{key}");
        let signature: Signature = self.0.sign(text.as_bytes());
        json!({ "publicKey": key, "signature": STANDARD.encode(signature.to_bytes()) })
    }
}

/// Returns the code that the person types, if the answer to `panel.prove` has one.
pub fn code(answer: &Value) -> Option<&str> {
    if answer["confirmed"] == true { None } else { Some(answer["code"].as_str().expect("a code")) }
}
