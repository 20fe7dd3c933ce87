//! The seven operations as types, so that each is answered with what it answers.

use bytes::Bytes;
use http::{HeaderValue, Response, header::LOCATION};
use leadapi_core::{
    http::{Operation, lead_path},
    model::{ClientAccount, Lead, LeadItem, Page, Pipeline},
};

use crate::testkit::serve::{
    BASE,
    refusal::{json, respond},
};

/// One of the seven operations, as the type of a stub; there are no others.
pub trait Stubbed: sealed::Sealed {
    /// What its success holds.
    type Answer;
    /// Its line in the table of operations.
    const OPERATION: Operation;

    /// The answer as the service writes it.
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
        // A path whose id is escaped is a header's value.
        if let Ok(location) = HeaderValue::try_from(format!("{BASE}{}", lead_path(&lead.id))) {
            response.headers_mut().insert(LOCATION, location);
        }
        response
    }
}
