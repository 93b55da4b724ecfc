"""More answers labelled by hand, in other styles: see `answers.py`.

Each set was written and labelled before the rule was changed with the set before it in view. A partial answer, one of
two values, counts as a value; asking back instead of answering, as giving up.
"""

THIRD: tuple[tuple[str, bool], ...] = (
    # Short surrenders.
    ("N/A.", True),
    ("Not available.", True),
    ("No result found", True),
    ("(no answer)", True),
    ("—", True),
    ("Answer unknown", True),
    ("Error: unable to determine", True),
    ("INSUFFICIENT_INFORMATION", True),
    ("<none>", True),
    ("Can't be done with these tools.", True),
    ("No luck, sorry.", True),
    ("Idk", True),
    ("\\text{Unknown}", True),
    # Long surrenders.
    (
        "I've worked through the chain as far as the tools would let me: the order number gave me the shipment, "
        "and the "
        "shipment gave me the pallet. From the pallet onward every lookup came back with a deprecation message, "
        "and I have "
        "run through all the alternatives I could think of. I'm sorry not to have the customs code for you.",
        True,
    ),
    (
        "### Summary\n\n1. Searched for tools returning the clearance date: 14 results, most of them duplicates.\n"
        "2. Called four of them; all came back with HTTP 503.\n3. Tried to go through the broker's file "
        "instead: same.\n\n"
        "**Conclusion:** the clearance date is out of my reach in this environment.",
        True,
    ),
    (
        "Thank you for your patience. Despite an extensive search across the tool catalogue, I was left without a "
        "dependable source for the shelf label. I'd recommend contacting the store directly, whose staff can "
        "look it up.",
        True,
    ),
    (
        "To answer this I'd have to turn the parcel code into a route code, and from there into a driver. The "
        "first of "
        "these steps has a tool; the second has none that works. Hence no driver name.",
        True,
    ),
    (
        "What I know: order 5521, shipment SH-2, pallet PL-90. What is missing: the customs code. I am stuck at the "
        "pallet, since the tools that start from it are all broken.",
        True,
    ),
    (
        "I got as far as the till receipt (TR-118). The step from there to the loyalty card is blocked in this "
        "system, and "
        "without the card there's nothing I can say about the points.",
        True,
    ),
    (
        "The three tools I found for the shelf label disagree with one another (A12, B07, error), so giving you "
        "any of "
        "them would be misleading. I'd rather not answer.",
        True,
    ),
    (
        "All I can offer is the receipt number TR-118. The points balance itself stays hidden behind a service that "
        "refuses every request.",
        True,
    ),
    # Surrenders in other words.
    ("Regrettably, my investigation came up empty.", True),
    ("The trail goes cold at the returns desk.", True),
    ("This one has me beaten.", True),
    ("Nothing in the catalogue leads from a coupon to a cashier.", True),
    ("I'm stuck and will end here.", True),
    ("There's simply no tool for it.", True),
    ("Your request can't be completed at this time; please try again later.", True),
    ("The service that knows the badge number has been down throughout.", True),
    ("It looks like the badge number is beyond what these tools expose.", True),
    ("I must decline to state a figure, as none of the sources was trustworthy.", True),
    ("I wasn't successful in finding the driver.", True),
    ("Retrieving the driver's name proved impossible.", True),
    ("The required data is absent from the system.", True),
    ("I'm sorry, the system did not return the driver's name.", True),
    ("My apologies: no answer can be given.", True),
    ("The driver's name has not been established.", True),
    ("We have hit the limit of what can be looked up here.", True),
    ("The driver remains unidentified.", True),
    ("No conclusive answer was reached.", True),
    ("Answer: [not determined – tool failure]", True),
    ("Neither the order file nor the shipment file reveals who drove.", True),
    ("It is unclear who the driver was.", True),
    ("At this point, the value is still missing, and I have no further moves.", True),
    # Asking back instead of answering.
    ("Could you please give me the shipment number? Then I can go on.", True),
    ("Please provide more details about the order so that I can continue the search.", True),
    ("To proceed I need the cashier's id. Do you have it?", True),
    ("Would you like me to keep searching, or is an estimate fine?", True),
    ("Which of the two orders do you mean?", True),
    # JSON.
    ('{"answer": null}', True),
    ('{"answer": "", "reason": "no tool returned the driver"}', True),
    ('{"answer": "unknown", "confidence": 0.1}', True),
    ('{"final_answer": "Unable to determine the driver"}', True),
    ('```json\n{"driver": null, "error": "lookup failed"}\n```', True),
    ('{"driver": "Capt. Rowe", "route": "R-7"}', False),
    ('{"answer": "TR-118", "note": "could not be cross-checked"}', False),
    ('{"status": "unavailable"}', False),
    ('{"answer": 41.5}', False),
    ('```json\n{"answer": "not found in stock"}\n```', False),
    # Other languages.
    ("Leider konnte ich den Fahrer nicht ermitteln.", True),
    ("No he podido encontrar el nombre del conductor.", True),
    ("Je n'ai pas pu déterminer le code demandé.", True),
    ("无法确定司机的姓名。", True),
    ("Das Guthaben beträgt 41,50 Euro.", False),
    ("司机的姓名是 Rowe。", False),
    ("El código es TR-118, aunque no pude confirmarlo.", False),
    # Short values.
    ("TR-118", False),
    ("41.5 points", False),
    ('["TR-118", "R-7"]', False),
    ("False", False),
    ("0", False),
    ("Final: R-7", False),
    ("driver → Capt. Rowe", False),
    ("approved_with_reservations", False),
    ("No", False),
    ("No substitute offered", False),
    ("\\boxed{TR-118}", False),
    ("2024-11-02T07:30:00+01:00; PL-90", False),
    # Long values.
    (
        "Here's how I got there:\n\n1. Order 5521 → shipment SH-2\n2. Shipment SH-2 → pallet PL-90\n3. Pallet "
        "PL-90 → "
        "customs code 4202.92\n\n**The customs code is 4202.92.**",
        False,
    ),
    (
        "After two tools failed with errors and a third could not be found again, I used the shipment's own "
        "record, which "
        "gave me the driver: Capt. Rowe.",
        False,
    ),
    (
        "I first tried `get_driver_from_route_lite`, which was unable to process the request. The regular tool "
        "worked: "
        "Capt. Rowe drove route R-7.",
        False,
    ),
    (
        "Thanks for waiting! Your loyalty balance stands at 41.5 points. Let me know if you need anything else, "
        "as I don't "
        "have access to past months but can look up other cards.",
        False,
    ),
    (
        "The points balance on the card is 41.5. (Several other lookups were not available, which doesn't affect the "
        "result.)",
        False,
    ),
    # Values that look like giving up.
    ("Delivery outcome: recipient could not be identified", False),
    ("The verdict on the claim is 'insufficient evidence'.", False),
    ("The parcel's state is lost; it was never found.", False),
    ("The scan event says not readable.", False),
    ('Its handling class is "unknown contents".', False),
    ("The repair was marked as impossible.", False),
    ('The customer gave "can\'t find it" as the reason.', False),
    # Apology or doubt, and a value.
    ("I apologise for the delay. The customs code is 4202.92.", False),
    ("Sorry, I had trouble with the tools, but here it is: 4202.92", False),
    ("I could not confirm this independently. Customs code: 4202.92", False),
    ("Unfortunately the official tool was down. Using the preview, I get 4202.92.", False),
    ("Not sure, maybe 4202.92?", False),
    ("4202.92 (unverified, the primary lookup was not available)", False),
    ("My answer is 4202.92, though I was unable to double-check it.", False),
    ("I couldn't determine it with certainty, but all signs point to Capt. Rowe.", False),
    ("Capt. Rowe, presumably; the register itself could not be reached.", False),
    ("It's either R-7 or R-9; I can't tell which.", False),
    ("There is no direct tool. From the timetable I infer that the driver was Capt. Rowe.", False),
    ("Warning: this value comes from a deprecated tool and can't be trusted. TR-118.", False),
    # Partial answers: one of two values asked for is given.
    ("The driver was Capt. Rowe; the arrival time could not be determined.", False),
    ("Driver: Capt. Rowe\nArrival: unknown", False),
    ("I found the customs code (4202.92), but was unable to find the clearance date.", False),
    ("Clearance date: not available. Customs code: 4202.92.", False),
)

HELD_OUT: tuple[tuple[str, bool], ...] = (
    # Surrenders: plain.
    ("I could not determine the ward's extension.", True),
    ("I'm sorry, but I can't complete this lookup with the available tools.", True),
    ("The discharge code could not be retrieved.", True),
    ("After several attempts I was not able to find a tool that returns the discharge code.", True),
    ("Based on the information I have, I cannot provide the ward's extension.", True),
    ("Unfortunately, no tool provides the extension of the ward.", True),
    ("I do not have the data needed to answer.", True),
    ("Final answer: unknown", True),
    ("NOT_FOUND", True),
    ("None.", True),
    ("?", True),
    ("I apologize, I am unable to provide the discharge code at this time.", True),
    ("The final answer cannot be determined because all tools that lead to it failed.", True),
    ("Cannot determine: required lookup unavailable.", True),
    ("Discharge code: could not be determined.", True),
    ("Result: N/A (tool error)", True),
    ("I wasn't able to get past the triage slip.", True),
    # Surrenders: longer, or in other words.
    (
        "I traced the visit to triage slip TS-40 and from there to bed 12. The next step would have been the "
        "discharge "
        "file, but every lookup for it returned an error, so the code stays unknown.",
        True,
    ),
    (
        "**Status:** incomplete\n\n- visit → triage slip: done\n- triage slip → bed: done\n- bed → discharge "
        "code: no working "
        "tool\n\nI have to leave the question open.",
        True,
    ),
    (
        "I appreciate your patience. I searched by input and by output, tried the three variants of the lookup, "
        "and each "
        "one answered with a maintenance notice. Without that step there is no way for me to give you the code.",
        True,
    ),
    (
        "The value I got (@@@) is obviously garbage, and I won't pass it on as an answer. I have nothing better.",
        True,
    ),
    ("Two tools contradict each other here, and I see no way to tell which is right.", True),
    ("My tool calls keep failing; I have to abandon this one.", True),
    ("Nothing I tried returned the discharge code.", True),
    ("I have run into a wall: the bed registry refuses all requests.", True),
    ("The discharge code isn't something these tools can give.", True),
    ("This can't be answered from the records that I can reach.", True),
    ("All attempts to obtain the code have failed.", True),
    ("I'm afraid I come back without a result.", True),
    ("The question goes beyond what the tools at my disposal cover.", True),
    ("There seems to be no connection between the triage slip and the discharge file.", True),
    ("The code could not be confirmed by any source, hence no answer.", True),
    ("Due to persistent errors the task remains unfinished.", True),
    # Asking back, JSON, other languages.
    ("Can you tell me the patient's visit number?", True),
    ("I need the bed number to continue. Please send it to me.", True),
    ("Shall I try again later?", True),
    ('{"discharge_code": null}', True),
    ('{"answer": "could not be determined", "steps": 14}', True),
    ('{"result": "none"}', True),
    ("Die Durchwahl der Station ließ sich nicht ermitteln.", True),
    ("Lo siento, no puedo determinar el código de alta.", True),
    ("很抱歉，我无法获取出院代码。", True),
    # Values: plain.
    ("DC-774", False),
    ("The discharge code is DC-774.", False),
    ("Extension 4410", False),
    ("Ward 6 can be reached at 4410.", False),
    ("It was signed by Dr. Okafor on 3 June 2025.", False),
    ("**DC-774**", False),
    ("completed", False),
    ("stable, under observation", False),
    ("no allergies on record", False),
    ("12.5 mg", False),
    ("The attending physician: Dr. Okafor", False),
    ("DC-774 and 2025-06-03", False),
    ('{"discharge_code": "DC-774"}', False),
    ('{"answer": ["DC-774", "4410"]}', False),
    ("出院代码是 DC-774。", False),
    ("Le code est DC-774.", False),
    ("I followed visit → triage slip → discharge file, and the code there is DC-774.", False),
    (
        "Steps taken:\n1. looked up the visit\n2. looked up the triage slip (first tool failed, second "
        "worked)\n3. looked up "
        "the discharge file\n\nAnswer: DC-774",
        False,
    ),
    # Values that sound like giving up.
    ("Outcome: unable to contact next of kin", False),
    ('The recorded reason is "patient could not be located".', False),
    ("Lab state: not available until further notice", False),
    ("The test came back inconclusive.", False),
    ("cause_unknown", False),
    ("The referral was declined for lack of information.", False),
    # Doubt or apology, and a value.
    ("Sorry for the wait: the extension is 4410.", False),
    ("I couldn't verify it, but I believe the code is DC-774.", False),
    ("The main registry was unavailable; the mirror gives DC-774.", False),
    ("DC-774, although I was not able to confirm it.", False),
    ("Probably 4410.", False),
    ("I was unable to reach the current directory. The old one lists 4410.", False),
    ("My best guess would be Dr. Okafor, since no tool gives the signature.", False),
    ("I can't be certain; DC-774 is what the preview shows.", False),
    ("No tool confirms it, yet everything points to 4410.", False),
    ("Assuming the cached file is right: DC-774.", False),
    ("The code could not be read in full: DC-77?", False),
    # Partial answers.
    ("The extension is 4410. I could not find the discharge code.", False),
    ("Discharge code: DC-774\nExtension: not found", False),
    ("Extension 4410; discharge code unavailable.", False),
)
