//! Finds the name that an author probably meant.

/// The maximum length of a name or candidate. With [`MAX_CANDIDATES`], it bounds the time for a hostile record.
const MAX_BYTES: usize = 60;
const MAX_CANDIDATES: usize = 200;

/// The similarity (Jaro-Winkler) above which one name is probably a misspelling of the other.
const LIKELY: f64 = 0.85;

/// Returns the candidate that is most similar to the name, if it is probably meant. Names that differ only in digits,
/// such as `page1` and `page2`, are assumed to differ on purpose.
pub(super) fn similar<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let name = Some(name.trim()).filter(|name| name.len() <= MAX_BYTES)?.to_lowercase();
    let letters = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let short = candidates.into_iter().take(MAX_CANDIDATES).filter(|candidate| candidate.len() <= MAX_BYTES);
    let lower = short.map(|candidate| (candidate, candidate.to_lowercase()));
    let others = lower.filter(|(_, lower)| *lower == name || letters(lower) != letters(&name));
    let rated = others.map(|(candidate, lower)| (candidate, strsim::jaro_winkler(&lower, &name)));
    let (candidate, likeness) = rated.max_by(|one, other| one.1.total_cmp(&other.1))?;
    (likeness > LIKELY).then_some(candidate)
}

#[cfg(test)]
mod tests {
    use super::similar;

    #[test]
    fn only_a_probable_misspelling_is_similar() {
        let candidates = || ["name", "email", "q_hours", "end_thanks", "page1"];
        for (name, expected) in [
            ("nmae", Some("name")),
            ("e-mail", Some("email")),
            ("Q_Hour", Some("q_hours")),
            ("NAME", Some("name")),
            ("end_thank", Some("end_thanks")),
            ("phone", None),
            ("page2", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(similar(name, candidates()), expected, "{name}");
        }
        let long = "n".repeat(1_000_000);
        assert_eq!(similar(&long, [long.as_str()]), None);
    }
}
