// Prints the next departures of a stop, with a client that openapi-generator writes from the OpenAPI document:
//   java -jar openapi-generator-cli.jar generate -g swift6 -i http://localhost:8080/openapi.json -o Client \
//     --additional-properties=projectName=TaktgeberClient
// Compile the example with the client, and run it: departures Meidling http://localhost:8080
import Foundation

let arguments = CommandLine.arguments
guard arguments.count > 1 else { fail("Usage: departures <stop name> [address of the service]") }
let name = arguments[1]
TaktgeberClientAPIConfiguration.shared.basePath = arguments.count > 2 ? arguments[2] : "http://localhost:8080"

do {
  guard let stop = try await V2API.searchStops(query: name, limit: 1).stops.first else {
    fail("No stop is called \(name).")
  }
  let board = try await V2API.getDepartures(id: stop.id, limit: 15)
  print(board.stop.name)
  for departure in board.departures {
    let time = departure.departure
    let note = departure.cancelled ? "cancelled" : describeDelay(time.scheduled, time.realtime)
    let line = departure.line.label.padding(toLength: 8, withPad: " ", startingAt: 0)
    print("\(clock(time.scheduled ?? time.realtime))  \(line) \(departure.direction)  \(note)")
  }
} catch {
  // The body of an error of the service is a problem document with a stable code.
  fail("\(error)")
}

func describeDelay(_ scheduled: Date?, _ realtime: Date?) -> String {
  guard let scheduled, let realtime else { return "" }
  let minutes = Int((realtime.timeIntervalSince(scheduled) / 60).rounded())
  return minutes == 0 ? "on time" : (minutes > 0 ? "+\(minutes) min" : "\(minutes) min")
}

func clock(_ time: Date?) -> String {
  guard let time else { return "     " }
  let format = DateFormatter()
  format.timeZone = TimeZone(identifier: "Europe/Vienna")
  format.dateFormat = "HH:mm"
  return format.string(from: time)
}

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data((message + "\n").utf8))
  exit(1)
}
