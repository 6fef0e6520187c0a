//! The generics of structs that borrow rows.

use syn::{GenericParam, Generics, Lifetime, LifetimeParam, TypeParamBound, parse_quote};

use crate::Row;

/// A lifetime that the struct does not have yet.
pub(crate) fn unused_lifetime(generics: &Generics) -> Lifetime {
    let mut name = String::from("'soa");
    while generics.lifetimes().any(|used| used.lifetime.to_string() == name) {
        name.push('_');
    }
    Lifetime::new(&name, proc_macro2::Span::call_site())
}

/// The row's generics, with the lifetime of the borrow in front.
pub(crate) fn with_lifetime(row: &Row) -> Generics {
    let (mut generics, life) = (row.input.generics.clone(), &row.life);
    let own: LifetimeParam = parse_quote!(#life);
    generics.params.insert(0, GenericParam::Lifetime(own));
    generics
}

/// The same where all others outlive that lifetime, as a struct with references must say.
pub(crate) fn outliving(row: &Row) -> Generics {
    let mut generics = with_lifetime(row);
    for parameter in generics.params.iter_mut().skip(1) {
        match parameter {
            GenericParam::Type(ty) => ty.bounds.push(TypeParamBound::Lifetime(row.life.clone())),
            GenericParam::Lifetime(other) => other.bounds.push(row.life.clone()),
            GenericParam::Const(_) => {}
        }
    }
    generics
}
