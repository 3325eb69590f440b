import at.taktgeber.client.apis.V2Api
import at.taktgeber.client.infrastructure.ClientException
import java.time.Duration
import java.time.OffsetDateTime
import kotlin.system.exitProcess

/** Prints the next departures of a stop. Arguments: the name of the stop, and the address of the service. */
fun main(arguments: Array<String>) {
    val name = arguments.firstOrNull() ?: fail("Usage: <stop name> [address of the service]")
    val api = V2Api(arguments.getOrElse(1) { "http://localhost:8080" })
    try {
        val stop = api.searchStops(query = name, limit = 1).stops.firstOrNull() ?: fail("No stop is called $name.")
        val board = api.getDepartures(id = stop.id, limit = 15)
        println(board.stop.name)
        for (departure in board.departures) {
            val scheduled = departure.departure.scheduled
            val realtime = departure.departure.realtime
            val note = if (departure.cancelled) "cancelled" else describeDelay(scheduled, realtime)
            val time = clock(scheduled ?: realtime)
            println("$time  ${departure.line.label.padEnd(8)} ${departure.direction.padEnd(32)} $note".trimEnd())
        }
    } catch (error: ClientException) {
        // The body is a problem document with a stable code.
        fail(error.message ?: "The service refused the request.")
    }
}

private fun describeDelay(scheduled: OffsetDateTime?, realtime: OffsetDateTime?): String {
    if (scheduled == null || realtime == null) return ""
    val minutes = Duration.between(scheduled, realtime).toMinutes()
    return if (minutes == 0L) "on time" else "%+d min".format(minutes)
}

private fun clock(time: OffsetDateTime?): String = time?.toLocalTime()?.toString()?.take(5) ?: "     "

private fun fail(message: String): Nothing {
    System.err.println(message)
    exitProcess(1)
}
