"""Prints the next departures of a stop, with a client that openapi-python-client writes from the OpenAPI document.

    openapi-python-client generate --url http://localhost:8080/openapi.json
    PYTHONPATH=taktgeber-client python3 generated_client.py Meidling
"""

import sys

from taktgeber_client import Client
from taktgeber_client.api.v2 import get_departures, search_stops
from taktgeber_client.models import Board, StopList


def main(name: str, api: str = "http://localhost:8080") -> None:
    client = Client(base_url=api)
    found = search_stops.sync(client=client, query=name, limit=1)
    if not isinstance(found, StopList):
        # A problem document, with a stable code.
        raise SystemExit(found.detail if found else f"Cannot reach {api}.")
    if not found.stops:
        raise SystemExit(f"No stop is called {name}.")
    board = get_departures.sync(found.stops[0].id, client=client, limit=15)
    assert isinstance(board, Board), board
    print(board.stop.name)
    for departure in board.departures:
        scheduled, realtime = departure.departure.scheduled, departure.departure.realtime
        time = scheduled or realtime
        note = ""
        if departure.cancelled:
            note = "cancelled"
        elif scheduled and realtime:
            minutes = round((realtime - scheduled).total_seconds() / 60)
            note = f"{minutes:+d} min" if minutes else "on time"
        shown = f"{time:%H:%M}" if time else "     "
        print(f"{shown}  {departure.line.label:<8} {departure.direction:<32} {note}".rstrip())


if __name__ == "__main__":
    main(*sys.argv[1:])
