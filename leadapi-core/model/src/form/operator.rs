//! The names that other products use for operators.

use super::{
    aliases::{Aliases, aliases_of, resolve},
    extensible_enum::Operator,
};

/// The names that other form products and FHIR questionnaires use.
const ALIASES: &Aliases<Operator> = &[
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
    /// use leadapi_model::form::Operator;
    ///
    /// assert!(Operator::StartsWith.aliases().contains(&"beginswith"));
    /// assert!(Operator::from("sounds_like").aliases().is_empty());
    /// ```
    pub fn aliases(&self) -> &'static [&'static str] {
        aliases_of(ALIASES, self)
    }

    /// Returns the operator that this name stands for, or the name itself if it stands for no operator.
    ///
    /// ```
    /// use leadapi_model::form::Operator;
    ///
    /// assert_eq!(Operator::from("lower_equal_than").resolve(), Operator::Lte);
    /// assert_eq!(Operator::from("isLessThanOrEqual").resolve(), Operator::Lte);
    /// assert_eq!(Operator::from("lte").resolve(), Operator::Lte);
    /// assert_eq!(Operator::from("sounds_like").resolve(), Operator::from("sounds_like"));
    /// ```
    #[must_use]
    pub fn resolve(&self) -> Self {
        let Self::Other(name) = self else { return self.clone() };
        resolve(name, Self::ALL, ALIASES, Self::as_str).unwrap_or(self).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::aliases::check, *};

    #[test]
    fn each_alias_stands_for_one_operator() {
        check(Operator::ALL, ALIASES, Operator::as_str);
        assert_eq!(ALIASES.len(), Operator::ALL.len());
    }
}
