"""Prints the next departures of a stop. Usage: departures.py <stop name> [--api http://localhost:8080]"""

import argparse
import json
from datetime import datetime
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import urlopen


def get(api: str, path: str, **query) -> dict:
    """Returns the JSON of a GET request. Errors of the API are problem documents with a sentence in `detail`."""
    try:
        with urlopen(f"{api}{path}?{urlencode(query)}", timeout=20) as response:
            return json.load(response)
    except HTTPError as error:
        raise SystemExit(json.load(error).get("detail", str(error)))
    except URLError as error:
        raise SystemExit(f"Cannot reach {api}: {error.reason}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints the next departures of a stop.")
    parser.add_argument("stop", help="name of the stop")
    parser.add_argument("--api", default="http://localhost:8080", help="address of the service")
    options = parser.parse_args()
    stops = get(options.api, "/v2/stops", query=options.stop, limit=1)["stops"]
    if not stops:
        raise SystemExit(f"No stop is called {options.stop}.")
    board = get(options.api, f"/v2/stops/{quote(stops[0]['id'], safe='')}/departures", limit=15)
    print(board["stop"]["name"])
    for departure in board["departures"]:
        time = departure["departure"]
        planned = datetime.fromisoformat(time.get("scheduled", time.get("realtime")))
        note = ""
        if departure["cancelled"]:
            note = "cancelled"
        elif "realtime" in time:
            minutes = round((datetime.fromisoformat(time["realtime"]) - planned).total_seconds() / 60)
            note = f"{minutes:+d} min" if minutes else "on time"
        print(f"{planned:%H:%M}  {departure['line']['label']:<8} {departure['direction']:<32} {note}".rstrip())


if __name__ == "__main__":
    main()
