//! The sample data set, enlarged with more leads.

use leadapi_core::dataset::{Dataset, SAMPLE};

/// Returns the sample. Copies leads of the first business until it has at least `leads` leads.
#[must_use]
pub fn sample(leads: usize) -> Dataset {
    let mut data = Dataset::parse(SAMPLE).unwrap();
    let own = data.businesses[0].leads.clone();
    let more = own.iter().cycle().take(leads.saturating_sub(own.len())).zip(0_u32..).map(|(lead, nth)| {
        let mut lead = lead.clone();
        lead.id = format!("019bb17b-d806-7737-9000-{nth:012x}").parse().unwrap();
        lead
    });
    data.businesses[0].leads.extend(more);
    data
}
