//! Reads a command's standard input.
//!
//! Owns its limits and the messages for input that cannot be used. Never waits for a person at a terminal.

use gstack_protocol::command::LARGEST_CHAIN;
use gstack_protocol::fault::{Fault, FaultCode};
use std::io::IsTerminal;
use tokio::io::{AsyncRead, AsyncReadExt};

const USAGE: &str =
    "Write the commands after it, or pipe them in, one on each line: echo 'goto example.com | text' | gstack chain";

/// Reads the commands of a `chain` without arguments. Fails if standard input is a terminal.
pub(super) async fn chain() -> Result<String, Fault> {
    if std::io::stdin().is_terminal() {
        return Err(Fault::new(FaultCode::BadRequest, "chain needs commands").hint(USAGE));
    }
    text(tokio::io::stdin()).await
}

async fn text(input: impl AsyncRead + Unpin) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    let most = LARGEST_CHAIN as u64 + 1;
    let read = input.take(most).read_to_end(&mut bytes).await;
    read.map_err(|error| {
        Fault::new(FaultCode::BadRequest, format!("standard input can't be read: {error}")).hint(USAGE)
    })?;
    if bytes.len() > LARGEST_CHAIN {
        let message = format!("standard input has more than {LARGEST_CHAIN} bytes");
        return Err(Fault::new(FaultCode::TooLarge, message).hint("Run the commands in several chains."));
    }
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).ok_or_else(|| {
        Fault::new(FaultCode::BadRequest, "standard input is not text: it holds bytes that are not UTF-8").hint(USAGE)
    })?;
    if text.trim().is_empty() {
        return Err(Fault::new(FaultCode::BadRequest, "standard input is empty: chain needs commands").hint(USAGE));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{LARGEST_CHAIN, text};
    use gstack_protocol::fault::FaultCode;

    #[tokio::test]
    async fn what_is_no_list_of_commands_is_told_in_words() {
        assert_eq!(text(&b"url | text\n"[..]).await.unwrap(), "url | text\n");
        for (input, words) in
            [(&b""[..], "empty"), (b" \n", "empty"), (b"\x89PNG\xff\xfe", "not text"), (b"url\0", "not text")]
        {
            let fault = text(input).await.unwrap_err();
            assert!(fault.message.contains(words) && fault.hint.is_some(), "{fault:?}");
        }
        let fault = text(tokio::io::repeat(b'a')).await.unwrap_err();
        assert_eq!(fault.code, FaultCode::TooLarge);
        assert!(fault.message.contains(&LARGEST_CHAIN.to_string()));
    }
}
