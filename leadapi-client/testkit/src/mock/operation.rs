//! The seven operations as types, so that each stub accepts only answers of the right type.

use bytes::Bytes;
use http::{HeaderValue, Response, header::LOCATION};
use leadapi_core::{
    http::{Operation, lead_path},
    model::{ClientAccount, Lead, LeadItem, Page, Pipeline},
};

use crate::serve::{
    BASE,
    error_response::{json, respond},
};

/// One of the seven operations, used as a type parameter of stubs. This trait is sealed.
pub trait Stubbed: sealed::Sealed {
    /// The type of the operation's successful result.
    type Answer;
    /// The operation as a value.
    const OPERATION: Operation;

    /// Encodes a successful response as the service does.
    #[doc(hidden)]
    fn write(answer: &Self::Answer) -> Response<Bytes>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident = $operation:ident, $answer:ty, $write:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub enum $name {}

        impl sealed::Sealed for $name {}

        impl Stubbed for $name {
            type Answer = $answer;
            const OPERATION: Operation = Operation::$operation;

            fn write(answer: &$answer) -> Response<Bytes> {
                let write: fn(&$answer) -> Bytes = $write;
                respond(Self::OPERATION.endpoint().success, write(answer))
            }
        }
    )*};
}

operations! {
    /// `GET /leads/{id}`
    Get = GetLead, Lead, |lead| json(lead);
    /// `PATCH /leads/{id}`
    Update = UpdateLead, Lead, |lead| json(lead);
    /// `DELETE /leads/{id}`
    Delete = DeleteLead, (), |()| Bytes::new();
    /// `GET /leads`
    List = ListLeads, Page<LeadItem>, |page| json(page);
    /// `GET /pipelines`
    Pipelines = ListPipelines, Page<Pipeline>, |page| json(page);
    /// `GET /clients`
    Clients = ListClients, Page<ClientAccount>, |page| json(page);
}

/// `POST /leads`
#[derive(Debug, Clone, Copy)]
pub enum Create {}

impl sealed::Sealed for Create {}

impl Stubbed for Create {
    type Answer = Lead;
    const OPERATION: Operation = Operation::CreateLead;

    fn write(lead: &Lead) -> Response<Bytes> {
        let mut response = respond(Self::OPERATION.endpoint().success, json(lead));
        // An escaped path is always a valid header value.
        if let Ok(location) = HeaderValue::try_from(format!("{BASE}{}", lead_path(&lead.id))) {
            response.headers_mut().insert(LOCATION, location);
        }
        response
    }
}
