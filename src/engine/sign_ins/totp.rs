//! One-time codes by time (RFC 6238).
//!
//! Owns parsing a seed and the calculation. The caller passes the time.

use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::percent_decode_str;
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use zeroize::Zeroizing;

/// In bytes. RFC 4226 asks for 16; some sites give 10.
const SHORTEST: usize = 10;
const LONGEST: usize = 256;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TotpError {
    #[error("the seed of the one-time codes is neither an otpauth:// address nor base32")]
    NotASeed,
    #[error("the otpauth:// address has no usable {0}")]
    Parameter(&'static str),
    #[error("only time-based codes (otpauth://totp/) are supported")]
    NotTotp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    Sha1,
    Sha256,
    Sha512,
}

/// The seed and the form of the codes.
pub(super) struct Totp {
    key: Zeroizing<Vec<u8>>,
    algorithm: Algorithm,
    digits: u32,
    /// In seconds.
    period: u64,
}

impl Totp {
    /// Reads an `otpauth://` URI, or base32 in any case and grouping.
    pub(super) fn parse(text: &str) -> Result<Self, TotpError> {
        let text = text.trim();
        match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("otpauth") => Self::of_uri(rest),
            Some(_) => Err(TotpError::NotASeed),
            None => Ok(Self { key: key(text)?, algorithm: Algorithm::Sha1, digits: 6, period: 30 }),
        }
    }

    fn of_uri(rest: &str) -> Result<Self, TotpError> {
        let (path, query) = rest.split_once('?').ok_or(TotpError::Parameter("secret"))?;
        if !path.split('/').next().is_some_and(|kind| kind.eq_ignore_ascii_case("totp")) {
            return Err(TotpError::NotTotp);
        }
        let query = query.split('#').next().unwrap_or_default();
        let (mut secret, mut algorithm, mut digits, mut period) = (None, Algorithm::Sha1, 6, 30);
        for (name, value) in query.split('&').filter_map(|part| part.split_once('=')) {
            let value = Zeroizing::new(percent_decode_str(value).decode_utf8_lossy().into_owned());
            match name.to_ascii_lowercase().as_str() {
                "secret" => secret = Some(key(&value)?),
                "algorithm" => {
                    algorithm = match value.to_ascii_uppercase().replace('-', "").as_str() {
                        "SHA1" => Algorithm::Sha1,
                        "SHA256" => Algorithm::Sha256,
                        "SHA512" => Algorithm::Sha512,
                        _ => return Err(TotpError::Parameter("algorithm")),
                    }
                }
                "digits" => {
                    digits =
                        value.parse().ok().filter(|n| (6..=8).contains(n)).ok_or(TotpError::Parameter("digits"))?;
                }
                "period" => {
                    let given = value.parse().ok().filter(|n| (1..=3600).contains(n));
                    period = given.ok_or(TotpError::Parameter("period"))?;
                }
                _ => {}
            }
        }
        Ok(Self { key: secret.ok_or(TotpError::Parameter("secret"))?, algorithm, digits, period })
    }

    /// Returns the code at a time, in seconds since 1970.
    pub(super) fn code(&self, seconds: u64) -> Zeroizing<String> {
        let counter = (seconds / self.period).to_be_bytes();
        let digest = match self.algorithm {
            Algorithm::Sha1 => digest::<Hmac<Sha1>>(&self.key, counter),
            Algorithm::Sha256 => digest::<Hmac<Sha256>>(&self.key, counter),
            Algorithm::Sha512 => digest::<Hmac<Sha512>>(&self.key, counter),
        };
        let at = usize::from(digest.last().copied().unwrap_or_default() & 0x0f);
        let number = digest.iter().skip(at).take(4).fold(0_u32, |number, byte| (number << 8) | u32::from(*byte));
        let code = (number & 0x7fff_ffff) % 10_u32.pow(self.digits);
        Zeroizing::new(format!("{code:0width$}", width = self.digits as usize))
    }
}

fn digest<M: Mac + KeyInit>(key: &[u8], counter: [u8; 8]) -> Zeroizing<Vec<u8>> {
    // HMAC takes keys of any length.
    let Ok(mut mac) = <M as KeyInit>::new_from_slice(key) else { return Zeroizing::default() };
    mac.update(&counter);
    Zeroizing::new(mac.finalize().into_bytes().to_vec())
}

/// Decodes base32 (RFC 4648). Spaces, hyphens, case and padding do not matter.
fn key(text: &str) -> Result<Zeroizing<Vec<u8>>, TotpError> {
    let mut key = Zeroizing::new(Vec::with_capacity(LONGEST));
    let (mut bits, mut held) = (0_u32, 0_u32);
    for letter in text.trim_end_matches('=').bytes().filter(|letter| !matches!(letter, b' ' | b'-')) {
        let value = match letter.to_ascii_uppercase() {
            letter @ b'A'..=b'Z' => letter - b'A',
            letter @ b'2'..=b'7' => letter - b'2' + 26,
            _ => return Err(TotpError::NotASeed),
        };
        held = ((held << 5) | u32::from(value)) & 0xffff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            key.push(u8::try_from((held >> bits) & 0xff).unwrap_or_default());
        }
    }
    if (SHORTEST..=LONGEST).contains(&key.len()) { Ok(key) } else { Err(TotpError::NotASeed) }
}

#[cfg(test)]
mod tests {
    use super::{Totp, TotpError};

    /// RFC 4648's base32 of the seeds of RFC 6238, appendix B: "12345678901234567890" repeated to 20, 32 and 64 bytes.
    const SHA1: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    const SHA256: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA";
    const SHA512: &str =
        "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA";

    #[test]
    fn the_codes_are_those_of_the_rfc() {
        for (seconds, sha1, sha256, sha512) in [
            (59, "94287082", "46119246", "90693936"),
            (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_111_111_111, "14050471", "67062674", "99943326"),
            (1_234_567_890, "89005924", "91819424", "93441116"),
            (2_000_000_000, "69279037", "90698825", "38618901"),
            (20_000_000_000, "65353130", "77737706", "47863826"),
        ] {
            for (algorithm, seed, code) in
                [("SHA1", SHA1, sha1), ("SHA256", SHA256, sha256), ("SHA512", SHA512, sha512)]
            {
                let uri = format!("otpauth://totp/Shop:ada?secret={seed}&algorithm={algorithm}&digits=8&issuer=Shop");
                assert_eq!(*Totp::parse(&uri).unwrap().code(seconds), code, "{algorithm} at {seconds}");
            }
        }
    }

    #[test]
    fn a_seed_is_read_however_a_site_shows_it() {
        for text in [
            SHA1.to_owned(),
            SHA1.to_lowercase(),
            "gezd gnbv gy3t qojq gezd gnbv gy3t qojq".to_owned(),
            format!(" {SHA1}== "),
        ] {
            assert_eq!(*Totp::parse(&text).unwrap().code(59), "287082", "{text}");
        }
        let slow = format!("OTPAUTH://TOTP/x?period=60&SECRET={SHA1}");
        assert_eq!(*Totp::parse(&slow).unwrap().code(59), "755224");
    }

    #[test]
    fn what_is_no_seed_is_refused() {
        let uri = |rest: &str| format!("otpauth://totp/x?{rest}");
        for (text, error) in [
            ("", TotpError::NotASeed),
            ("GEZDGNBV", TotpError::NotASeed),
            ("not base32!", TotpError::NotASeed),
            ("https://shop.example/?secret=GEZDGNBVGY3TQOJQ", TotpError::NotASeed),
            (&format!("otpauth://hotp/x?secret={SHA1}"), TotpError::NotTotp),
            (&uri("issuer=x"), TotpError::Parameter("secret")),
            (&uri(&format!("secret={SHA1}&digits=12")), TotpError::Parameter("digits")),
            (&uri(&format!("secret={SHA1}&period=0")), TotpError::Parameter("period")),
            (&uri(&format!("secret={SHA1}&algorithm=MD5")), TotpError::Parameter("algorithm")),
        ] {
            assert_eq!(Totp::parse(text).err(), Some(error), "{text}");
        }
    }
}
