//! This machine: its allocators, the settings in force, and what would disturb a measurement.

mod busy;
pub mod disturb;
pub mod inventory;
pub mod settings;
