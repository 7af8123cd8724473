//! How the wire is declared: one line a method, from which its types, reading, dispatch and tests are made.
//!
//! Owns the two macros that `methods.rs` fills, and what a line can say of a request. Knows no method by name.

use super::fault::Fault;
use serde::Serialize;

/// What a request's line says besides its types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Also a browser that the person has not confirmed may ask.
    pub unconfirmed: bool,
    /// It waits for a browser, a program or a disk, so it runs beside what comes after it.
    pub beside: bool,
}

impl Rules {
    /// Neither.
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

/// Where the answer to one request goes.
pub trait Reply: Sync {
    fn give<T: Serialize>(&self, outcome: Result<T, Fault>);
}

/// Declares what the extension asks (`-> Answer`, `=> Answer`) or tells (no answer):
///
/// `"method" handler Variant(Parameters) -> Answer [rules];`
///
/// `->`: the handler returns the answer. `=>`: it gives the answer while it runs, so that everything pushed afterwards
/// arrives behind it. Makes the enum, the reading of a message, the trait `Serve` with one function a line, and the
/// dispatch to it.
macro_rules! requests {
    ($(
        $(#[$doc:meta])*
        $name:literal $handler:ident $variant:ident($params:ident)
            $(-> $answer:ident)? $(=> $early:ident)? $([$($rule:ident)+])?;
    )*) => {
        /// The messages of the extension to the daemon: `method` and `params` of a request or notification.
        #[derive(Clone, Debug)]
        #[cfg_attr(test, derive(serde::Serialize, serde::Deserialize, ts_rs::TS))]
        #[cfg_attr(test, serde(tag = "method", content = "params"))]
        pub enum ToDaemon {
            $( $(#[$doc])* #[cfg_attr(test, serde(rename = $name))] $variant($params), )*
        }

        impl ToDaemon {
            /// Reads the parameters of a method.
            ///
            /// # Errors
            ///
            /// Says that there is no such method, or what is wrong with its parameters.
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

        /// Whoever answers: a function a method.
        pub trait Serve: Sync {
            $( requests!(@function $(#[$doc])* $handler($params) $(-> $answer)? $(=> $early)?); )*

            /// Hands one message to its function, and what that returns to `reply`.
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

        /// Every request with the type of its answer, for the tests of the wire.
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

/// Declares what the daemon tells: `"method" Variant(Parameters);`. Makes the enum and its JSON-RPC form.
macro_rules! notifications {
    ($( $(#[$doc:meta])* $name:literal $variant:ident($params:ident); )*) => {
        /// The messages of the daemon to the extension. Notifications only.
        #[derive(Clone, Debug)]
        #[cfg_attr(test, derive(serde::Serialize, serde::Deserialize, ts_rs::TS))]
        #[cfg_attr(test, serde(tag = "method", content = "params"))]
        pub enum ToPanel {
            $( $(#[$doc])* #[cfg_attr(test, serde(rename = $name))] $variant($params), )*
        }

        impl ToPanel {
            /// The message for one panel; without one for the background.
            pub fn envelope(&self, client: Option<PanelId>) -> Envelope {
                match self {
                    $( Self::$variant(params) => Envelope::notification(client, $name, params), )*
                }
            }
        }
    };
}

pub(super) use {notifications, requests};
