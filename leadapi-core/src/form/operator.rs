//! The names that other products use for operators.

use super::extensible_enum::Operator;

/// The names that other form products and the FHIR questionnaire use, by operator. The names are in lower case and without `_`, `-` and spaces, because these products spell them differently.
const ALIASES: &[(Operator, &[&str])] = &[
    (Operator::Equals, &["=", "==", "equal", "equalto", "is", "isequal", "isequalto", "on"]),
    (
        Operator::NotEquals,
        &["!=", "<>", "doesnotequal", "isnot", "isnotequal", "isnotequalto", "notequal", "notequalto", "noton"],
    ),
    (Operator::IsFilled, &["exists", "isnotempty", "isset", "issubmitted", "notempty"]),
    (Operator::IsEmpty, &["empty", "isnotset", "isskipped"]),
    (Operator::Gt, &[">", "greater", "greaterthan", "isgreaterthan"]),
    (
        Operator::Gte,
        &[
            ">=",
            "greaterequalthan",
            "greaterorequal",
            "greaterorequalthan",
            "greaterthanorequal",
            "greaterthanorequalto",
            "isgreaterthanorequal",
            "isgreaterthanorequalto",
            "laterthanoron",
            "onorafter",
        ],
    ),
    (Operator::Lt, &["<", "islessthan", "less", "lessthan", "lowerthan"]),
    (
        Operator::Lte,
        &[
            "<=",
            "earlierthanoron",
            "islessthanorequal",
            "islessthanorequalto",
            "lessorequal",
            "lessorequalthan",
            "lessthanorequal",
            "lessthanorequalto",
            "lowerequalthan",
            "onorbefore",
        ],
    ),
    (Operator::Between, &["isbetween"]),
    (Operator::Contains, &["allof", "includes", "includesallof"]),
    (Operator::NotContains, &["doesnotcontain", "doesnotinclude", "doesnotincludeallof", "notincludes"]),
    (Operator::StartsWith, &["beginswith"]),
    (Operator::NotStartsWith, &["doesnotbeginwith", "doesnotstartwith"]),
    (Operator::EndsWith, &[]),
    (Operator::NotEndsWith, &["doesnotendwith"]),
    (Operator::In, &["anyof", "equalsoneof", "includesoneof", "isanyof", "isoneof"]),
    (Operator::NotIn, &["doesnotincludeoneof", "isnoneof", "isnotoneof", "noneof"]),
    (Operator::Before, &["earlierthan", "isbefore"]),
    (Operator::After, &["isafter", "laterthan"]),
    (Operator::IsChecked, &["isaccepted"]),
    (Operator::IsNotChecked, &[]),
];

impl Operator {
    /// Returns the names that other products use for this operator, in lower case. A record may spell them with capital
    /// letters, `_`, `-` and spaces: `greaterthan` stands for `greater_than`, `greaterThan` and `GREATER_THAN` too.
    ///
    /// ```
    /// use leadapi_core::form::Operator;
    ///
    /// assert!(Operator::StartsWith.aliases().contains(&"beginswith"));
    /// assert!(Operator::from("sounds_like").aliases().is_empty());
    /// ```
    pub fn aliases(&self) -> &'static [&'static str] {
        ALIASES.iter().find(|(operator, _)| operator == self).map_or(&[], |(_, names)| names)
    }

    /// Returns the operator that this name stands for, or the name itself if no operator has it.
    ///
    /// ```
    /// use leadapi_core::form::Operator;
    ///
    /// assert_eq!(Operator::from("lower_equal_than").resolve(), Operator::Lte);
    /// assert_eq!(Operator::from("isLessThanOrEqual").resolve(), Operator::Lte);
    /// assert_eq!(Operator::from("lte").resolve(), Operator::Lte);
    /// assert_eq!(Operator::from("sounds_like").resolve(), Operator::from("sounds_like"));
    /// ```
    #[must_use]
    pub fn resolve(&self) -> Self {
        let Self::Other(name) = self else { return self.clone() };
        let plain = plain(name);
        let same = |known: &&Self| self::plain(known.as_str()) == plain;
        let alias = || ALIASES.iter().find(|(_, names)| names.contains(&plain.as_str())).map(|(operator, _)| operator);
        Self::ALL.iter().find(same).or_else(alias).unwrap_or(self).clone()
    }
}

/// Returns the name in lower case and without separators.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_alias_stands_for_one_operator() {
        let mut all: Vec<String> = Operator::ALL.iter().map(|operator| plain(operator.as_str())).collect();
        assert_eq!(ALIASES.len(), all.len());
        for (operator, names) in ALIASES {
            assert!(names.is_sorted(), "{operator}");
            for name in *names {
                assert_eq!(plain(name), *name);
                assert_eq!(Operator::from(*name).resolve(), *operator, "{name}");
                all.push((*name).to_owned());
            }
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "an alias is listed twice, or is the name of an operator");
    }
}
