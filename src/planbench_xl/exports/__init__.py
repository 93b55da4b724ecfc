"""Worlds and episodes in the forms that other tools read: chat messages for fine-tuning, Parquet tables, a card."""
