"""Small made-up worlds for the agents' tests: a garage with two ways to the goal, a theatre whose tools take two."""

from __future__ import annotations

from planbench_xl.world import (
    Argument,
    Datatype,
    Kind,
    Output,
    Query,
    Record,
    Role,
    Task,
    TaskPaths,
    Tool,
    Value,
    World,
)

DATATYPES = {
    "booking_id": ("Unique ID of a booking at the garage.", "string", "booking reference"),
    "vehicle_id": ("Unique ID of a vehicle that was brought in.", "string", "car id"),
    "job_id": ("Unique ID of a repair job in the workshop.", "string", "workshop job id"),
    "bill_id": ("Unique ID of a bill sent to a customer.", "string", "customer bill id"),
    "bill_total": ("Total amount of a bill sent to a customer.", "number", "invoice sum"),
    "bay_status": ("State of the lifting bay.", "string", "bay state"),
}
CHAIN = (
    ("booking_id", "vehicle_id", "Given `{0}`, this returns the vehicle that the booking was made for."),
    ("vehicle_id", "job_id", "Given `{0}`, this returns the repair job that was opened for that vehicle."),
    ("booking_id", "job_id", "Given `{0}`, this returns the repair job that the booking led to in the workshop."),
    ("job_id", "bill_id", "Given `{0}`, this returns the bill that was written for that repair job."),
    ("bill_id", "bill_total", "Given `{0}`, this returns the total amount on that customer's bill."),
    ("vehicle_id", "bay_status", "Given `{0}`, this returns the state of the bay in which the vehicle stands."),
)
FLAWS = {
    Kind.DEPRECATED: ("This endpoint is deprecated and no longer returns valid data.", "error: gone"),
    Kind.STALE: ("It reads an outdated cache and may return old values.", "old-1"),
}
ALTERNATIVES = {
    Kind.EXPLICIT: (None, "error: This endpoint is currently unavailable."),
    Kind.IMPLICIT: (None, "######"),
    Kind.MISLEADING: ("Using `{0}`, this looks up the colour code in the paint catalogue of the trade fair.", "C-17"),
}
PATHS = (
    ("get_vehicle_id_from_booking_id", "get_job_id_from_vehicle_id"),
    ("get_job_id_from_booking_id",),
)
TAIL = ("get_bill_id_from_job_id", "get_bill_total_from_bill_id")


def tools() -> list[Tool]:
    """Return the tools of all roles."""
    made: list[Tool] = []
    for given, found, text in CHAIN:
        name, alias = f"get_{found}_from_{given}", DATATYPES[found][2].replace(" ", "_")
        argument = Argument(given, given, DATATYPES[given][0])
        text = text.format(given.replace("_", " "))

        def add(role: Role, name: str, text: str, **more: Value) -> None:
            output = Output(found, found)  # noqa: B023
            made.append(Tool(name, role, text, (argument,), (output,), **more))  # noqa: B023

        add(Role.EXECUTABLE, name, text)
        for kind, (flaw, value) in FLAWS.items():
            add(Role.DISTRACTOR, f"{name}_{kind}", f"{text} {flaw}", kind=kind, source=name, return_value=value)
        for kind, (other, value) in ALTERNATIVES.items():
            said = other.format(given) if other else text.replace("Given", "With")
            new = f"get_{alias}_from_{given}_{len(made)}"
            add(Role.BLOCK_ALTERNATIVE, new, said, kind=kind, source=name, return_value=value)
    return made


def garage() -> World:
    """Return the world: three records, one task, one query."""
    records = [
        Record(
            f"r{i}", dict(zip(DATATYPES, (f"B-{i}0", f"V-{i}1", f"J-{i}2", f"F-{i}3", 80.5 + i, "free"), strict=True))
        )
        for i in (1, 2, 3)
    ]
    task = Task("t1", ("booking_id",), ("bill_total",), 3, (*PATHS[1], *TAIL))
    text = "A customer called about booking reference `B-20`. What is the bill total of that visit?"
    query = Query("q1", "t1", text, {"booking_id": "B-20"}, {"bill_total": 82.5}, "r2")
    return World(
        name="garage",
        version="1",
        domain="garage",
        overview="A garage repairs vehicles.",
        datatypes=tuple(
            Datatype(name, text, value_type, aliases=(alias,))  # type: ignore[arg-type]
            for name, (text, value_type, alias) in DATATYPES.items()
        ),
        tools=tuple(tools()),
        records=tuple(records),
        tasks=(task,),
        queries=(query,),
        paths=(TaskPaths("t1", tuple((*start, *TAIL) for start in PATHS)),),
    )


SEATING = {
    "show_code": ("Code of one show on the programme.", "string", "show code"),
    "guest_key": ("Key of one guest of the theatre.", "string", "guest key"),
    "coat_token": ("Token that a guest gets for a coat.", "string", "coat token"),
    "seat_mark": ("Mark on the seat that a guest has for a show.", "string", "seat mark"),
}


def pairs() -> World:
    """Return a world (a theatre) in which two things together lead to a third, and that to the answer."""

    def tool(name: str, text: str, inputs: tuple[str, ...], output: str) -> Tool:
        arguments = tuple(Argument(given, given, SEATING[given][0]) for given in inputs)
        return Tool(name, Role.EXECUTABLE, text, arguments, (Output(output, output),))

    found = (
        tool(
            "get_seat_mark_from_show_code_and_guest_key",
            "Given `show code` and `guest key`, this returns the seat that the guest has for that show.",
            ("show_code", "guest_key"),
            "seat_mark",
        ),
        tool(
            "get_coat_token_from_seat_mark",
            "Given `seat mark`, this returns the token for the coat of whoever sits there.",
            ("seat_mark",),
            "coat_token",
        ),
    )
    values = (("SH-1", "G-1", "T-1", "R1-S1"), ("SH-1", "G-2", "T-2", "R1-S2"), ("SH-2", "G-2", "T-3", "R7-S3"))
    text = "The guest key is `G-2` and the show code is `SH-2`. Which coat token did we hand out?"
    return World(
        name="theatre",
        version="1",
        domain="theatre",
        overview="A theatre seats its guests.",
        datatypes=tuple(
            Datatype(name, said, value_type, aliases=(alias,))  # type: ignore[arg-type]
            for name, (said, value_type, alias) in SEATING.items()
        ),
        tools=found,
        records=tuple(Record(f"r{i}", dict(zip(SEATING, row, strict=True))) for i, row in enumerate(values)),
        tasks=(Task("t1", ("show_code", "guest_key"), ("coat_token",), 2, tuple(tool.name for tool in found)),),
        queries=(Query("q1", "t1", text, {"show_code": "SH-2", "guest_key": "G-2"}, {"coat_token": "T-3"}, "r2"),),
        paths=(TaskPaths("t1", (tuple(tool.name for tool in found),)),),
    )
