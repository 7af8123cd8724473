//! The macros that declare the wire: from one line for each method, they generate its types, parsing, dispatch and
//! tests.
//!
//! Owns the two macros that `methods.rs` calls, and the rules for a request. Knows no method by name.

use super::fault::Fault;
use serde::Serialize;

/// The rules of a request, besides its types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Whether a browser that the person has not confirmed may send it.
    pub unconfirmed: bool,
    /// Whether it waits for a browser, a program or a disk, and so runs concurrently with later requests.
    pub beside: bool,
}

impl Rules {
    /// Neither rule.
    pub const NONE: Self = Self { unconfirmed: false, beside: false };

    pub(super) const fn unconfirmed(mut self) -> Self {
        self.unconfirmed = true;
        self
    }

    pub(super) const fn beside(mut self) -> Self {
        self.beside = true;
        self
    }
}

/// The receiver of the answer to one request.
pub trait Reply: Sync {
    fn give<T: Serialize>(&self, outcome: Result<T, Fault>);
}

/// Declares the extension's requests (`-> Answer`, `=> Answer`) and notifications (no answer):
///
/// `"method" handler Variant(Parameters) -> Answer [rules];`
///
/// With `->`, the handler returns the answer. With `=>`, it gives the answer while it runs, so that everything it
/// pushes later arrives after the answer. Generates the enum, the parser, the trait `Serve` with one function for each
/// line, and the dispatch to it.
macro_rules! requests {
    ($(
        $(#[$doc:meta])*
        $name:literal $handler:ident $variant:ident($params:ident)
            $(-> $answer:ident)? $(=> $early:ident)? $([$($rule:ident)+])?;
    )*) => {
        /// The messages of the extension to the daemon: `method` and `params` of a request or notification.
        #[derive(Clone, Debug)]
        #[cfg_attr(feature = "for-tests", derive(serde::Serialize, serde::Deserialize, ts_rs::TS))]
        #[cfg_attr(feature = "for-tests", serde(tag = "method", content = "params"))]
        pub enum ToDaemon {
            $( $(#[$doc])* #[cfg_attr(feature = "for-tests", serde(rename = $name))] $variant($params), )*
        }

        impl ToDaemon {
            /// Parses the parameters of a method.
            ///
            /// # Errors
            ///
            /// Fails if the method does not exist or its parameters are invalid, with a description of the problem.
            pub fn read(method: &str, params: &str) -> Result<Self, String> {
                let read = match method {
                    $( $name => serde_json::from_str(params).map(Self::$variant), )*
                    _ => return Err(format!("there is no method {method:?}")),
                };
                read.map_err(|error| format!("{method}: {error}"))
            }

            pub const fn rules(&self) -> Rules {
                match self {
                    $( Self::$variant(_) => Rules::NONE$($(.$rule())+)?, )*
                }
            }
        }

        /// The handlers, one function for each method.
        pub trait Serve: Sync {
            $( requests!(@function $(#[$doc])* $handler($params) $(-> $answer)? $(=> $early)?); )*

            /// Passes a message to its handler, and the result to `reply`.
            fn serve<R: Reply>(&self, message: ToDaemon, reply: &R) -> impl Future<Output = ()> + Send {
                async move {
                    match message {
                        $( ToDaemon::$variant(params) => {
                            requests!(@call self, reply, $handler(params) $(-> $answer)? $(=> $early)?);
                        } )*
                    }
                }
            }
        }

        /// Visits every request's answer type, for the wire tests.
        #[cfg(test)]
        pub(super) fn walk(visitor: &mut impl super::answers::AnswerVisitor) {
            $( $( visitor.answer::<$answer>($name); )? $( visitor.answer::<$early>($name); )? )*
        }
    };

    (@function $(#[$doc:meta])* $handler:ident($params:ident)) => {
        $(#[$doc])*
        fn $handler(&self, params: $params) -> impl Future<Output = ()> + Send;
    };
    (@function $(#[$doc:meta])* $handler:ident($params:ident) -> $answer:ident) => {
        $(#[$doc])*
        fn $handler(&self, params: $params) -> impl Future<Output = Result<$answer, Fault>> + Send;
    };
    (@function $(#[$doc:meta])* $handler:ident($params:ident) => $answer:ident) => {
        $(#[$doc])*
        fn $handler(
            &self,
            params: $params,
            answer: impl FnOnce($answer) + Send,
        ) -> impl Future<Output = Result<(), Fault>> + Send;
    };

    (@call $server:ident, $reply:ident, $handler:ident($params:ident)) => {
        $server.$handler($params).await
    };
    (@call $server:ident, $reply:ident, $handler:ident($params:ident) -> $answer:ident) => {
        $reply.give($server.$handler($params).await)
    };
    (@call $server:ident, $reply:ident, $handler:ident($params:ident) => $answer:ident) => {
        if let Err(fault) = $server.$handler($params, |answer| $reply.give(Ok(answer))).await {
            $reply.give::<$answer>(Err(fault));
        }
    };
}

/// Declares the daemon's notifications: `"method" Variant(Parameters);`. Generates the enum and its JSON-RPC form.
macro_rules! notifications {
    ($( $(#[$doc:meta])* $name:literal $variant:ident($params:ident); )*) => {
        /// The messages of the daemon to the extension. Notifications only.
        #[derive(Clone, Debug)]
        #[cfg_attr(feature = "for-tests", derive(serde::Serialize, serde::Deserialize, ts_rs::TS))]
        #[cfg_attr(feature = "for-tests", serde(tag = "method", content = "params"))]
        pub enum ToPanel {
            $( $(#[$doc])* #[cfg_attr(feature = "for-tests", serde(rename = $name))] $variant($params), )*
        }

        impl ToPanel {
            /// Returns the message for one panel, or for the background if `client` is absent.
            pub fn envelope(&self, client: Option<PanelId>) -> Envelope {
                match self {
                    $( Self::$variant(params) => Envelope::notification(client, $name, params), )*
                }
            }
        }
    };
}

pub(super) use {notifications, requests};
