//! This machine: its allocators, the settings in force, and what would disturb a measurement.

mod busy;
pub mod disturbances;
pub mod inventory;
pub mod settings;
