"""Turns of hand-made episodes of query 06 (loan by card and title, report, repair order, mending cost 57.2)."""

from __future__ import annotations

from typing import Any

from planbench_xl.episodes.record import Matched, Turn, TurnError

LOAN = "get_loan_reference_from_membership_card_and_title_reference"
LOAN_STALE = "get_issue_slip_from_card_of_the_reader_and_work_record_number"
LOAN_IMPLICIT = "get_checkout_transaction_from_reader_card_number_and_bibliographic_record_go"
LOAN_EXPLICIT = "get_checkout_number_from_member_card_code_and_catalogue_entry"
LOAN_MISLEADING = "get_reading_badge_from_membership_card_and_title_reference_v3"
REPORT = "get_condition_report_from_lending_record"
CHARGE = "get_account_charge_from_checkout_transaction_core"
REPORT_BY_CHARGE = "get_damage_note_from_billing_entry_v3"
JOB = "get_repair_order_from_wear_report_plus"
COST = "get_mending_cost_from_workshop_ticket"
COST_STALE = "get_workshop_bill_total_from_restoration_job"
READY = "get_completion_time_from_mending_job_go"
RECEIPT = "get_proof_of_payment_from_reader_bill_max"


def call(name: str, value: Any = "x", *, success: bool = True, **more: Any) -> Turn:
    """Return a call that was executed; keywords that aren't a turn's are its arguments."""
    fields = {key: more.pop(key) for key in ("broken",) if key in more}
    return Turn(action="call", request={"name": name, "arguments": more}, success=success, value=value, **fields)


def rejected(name: str, error: TurnError = TurnError.MISSING_INPUT, **arguments: Any) -> Turn:
    """Return a call that was rejected."""
    return Turn(action="call", request={"name": name, "arguments": arguments}, error=error)


def search(*tools: str, of: str = "", phrase: str = "something") -> Turn:
    """Return a retrieval by inputs that showed some tools; its phrase stands for a datatype."""
    request = {"domain": "library", "meta_tool": "by_inputs", "input_information": [phrase]}
    return Turn(action="retrieve", request=request, matched=Matched(inputs=(of,) if of else None), tools=tools)
