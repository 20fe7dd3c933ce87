//! Aliases of enum values. Form products spell the same name differently, so names are compared in lower case and
//! without `_`, `-` and spaces.

/// The aliases of each value, in the form that [`plain_name`] returns.
pub(super) type Aliases<T> = [(T, &'static [&'static str])];

/// Returns the aliases of a value.
pub(super) fn aliases_of<T: PartialEq>(aliases: &Aliases<T>, value: &T) -> &'static [&'static str] {
    aliases.iter().find(|(known, _)| known == value).map_or(&[], |(_, names)| names)
}

/// Returns the value with this name or alias.
pub(super) fn resolve<'t, T>(
    name: &str,
    all: &'t [T],
    aliases: &'t Aliases<T>,
    name_of: fn(&T) -> &str,
) -> Option<&'t T> {
    let name = plain_name(name);
    let alias = || aliases.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(value, _)| value);
    all.iter().find(|value| plain_name(name_of(value)) == name).or_else(alias)
}

/// Returns a name in lower case and without `_`, `-` and spaces. Names of other products are compared in this form.
///
/// ```
/// assert_eq!(leadapi_model::form::plain_name("Opinion-Scale"), "opinionscale");
/// ```
pub fn plain_name(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Checks that the aliases of each value are sorted, and that each name or alias stands for only one value.
#[cfg(test)]
pub(super) fn check<T>(all: &[T], aliases: &Aliases<T>, name_of: fn(&T) -> &str) {
    let mut names: Vec<String> = all.iter().map(|value| plain_name(name_of(value))).collect();
    for (value, others) in aliases {
        assert!(others.is_sorted(), "{}", name_of(value));
        for other in *others {
            assert_eq!(plain_name(other), *other);
            assert_eq!(resolve(other, all, aliases, name_of).map(name_of), Some(name_of(value)), "{other}");
            names.push((*other).to_owned());
        }
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "a name stands for two values");
}
