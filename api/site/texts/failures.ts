import { defineTexts, type Language } from './languages.ts';

/** Why a request failed, and what to do next, by code of the problem. */
export const failureTexts = defineTexts({
  de: {
    retry: 'Erneut versuchen',
    known: {
      unknown_stop: 'Diese Haltestelle steht nicht im Fahrplan. Suchen Sie bitte nach ihrem Namen.',
      timetable_out_of_range: 'Für diesen Tag liegt kein Fahrplan vor. Wählen Sie bitte einen anderen.',
      timetable_unavailable: 'Der Fahrplan wird gerade geladen. Versuchen Sie es bitte in einer Minute noch einmal.',
      overloaded: 'Gerade gibt es sehr viele Anfragen. Versuchen Sie es bitte gleich noch einmal.',
      request_timeout: 'Das hat zu lange gedauert. Versuchen Sie es bitte noch einmal.',
      rate_limited: 'Das waren viele Anfragen in kurzer Zeit. Versuchen Sie es bitte in einer Minute noch einmal.',
      unreachable: 'Taktgeber ist gerade nicht zu erreichen. Sind Sie mit dem Internet verbunden?',
      mode_unavailable:
        'Wege mit Rad oder Auto kann dieser Dienst nicht berechnen. Suchen Sie bitte eine Verbindung, bei der Sie zu Fuß zur Haltestelle gehen.',
      watch_limit:
        'Von Ihrem Gerät oder Netz aus werden schon viele Verbindungen beobachtet. Beenden Sie bitte eine Beobachtung.',
      period_too_long: 'Dieser Zeitraum ist zu lang. Wählen Sie bitte höchstens ein Jahr.',
      journey_expired: 'Diese Fahrt ist vorbei oder nicht mehr im Fahrplan. Suchen Sie bitte eine andere.',
      unknown_journey:
        'Zu diesem Link gibt es keine Fahrt. Suchen Sie sie bitte auf der Abfahrtstafel ihrer Haltestelle.',
      invalid_parameter: 'Dieser Link ist unvollständig oder fehlerhaft. Beginnen Sie bitte mit einer neuen Suche.',
    },
    other: 'Da ist bei uns etwas schiefgegangen. Versuchen Sie es bitte gleich noch einmal.',
  },
  en: {
    retry: 'Try again',
    known: {
      unknown_stop: 'This stop is not in the timetable. Please search for it by name.',
      timetable_out_of_range: 'The timetable does not cover this day. Please choose another one.',
      timetable_unavailable: 'The timetable is still loading. Please try again in a minute.',
      overloaded: 'The service is very busy right now. Please try again shortly.',
      request_timeout: 'That took too long. Please try again.',
      rate_limited: 'That was a lot of requests in a short time. Please try again in a minute.',
      unreachable: 'Taktgeber cannot be reached right now. Are you online?',
      mode_unavailable:
        'This service cannot plan routes by bicycle or car. Please search for a trip on which you walk to the stop.',
      watch_limit:
        'Many trips are already being watched from your device or network. Please stop watching one of them.',
      period_too_long: 'This period is too long. Please choose one year at most.',
      journey_expired: 'This journey is over, or no longer in the timetable. Please look for another one.',
      unknown_journey: 'This link does not lead to a journey. Please look for it on the departure board of its stop.',
      invalid_parameter: 'This link is incomplete or incorrect. Please start a new search.',
    },
    other: 'Something went wrong on our side. Please try again shortly.',
  },
});

/** Explains a failed request to the reader; never the text of the problem, which is written for developers. */
export function describeFailure(code: string, language: Language): string {
  const known: Readonly<Record<string, string>> = failureTexts[language].known;
  return known[code] ?? failureTexts[language].other;
}
