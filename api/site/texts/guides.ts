import { defineTexts } from './languages.ts';

/** A guide for developers. Texts between backticks are code. */
interface Guide {
  readonly title: string;
  readonly text: readonly string[];
  /** Follows the example. */
  readonly after?: readonly string[];
}

/** Guides in the order of the page; the id is the anchor. */
export const guideIds = [
  'first-board',
  'first-trip',
  'watching',
  'paging',
  'caching',
  'errors',
  'browser',
  'fair-use',
] as const;
export type GuideId = (typeof guideIds)[number];

interface GuideTexts {
  readonly title: string;
  readonly intro: string;
  readonly allCodes: string;
  readonly guides: Readonly<Record<GuideId, Guide>>;
}

/** Texts of the guides beside the API reference. */
export const guideTexts = defineTexts<GuideTexts>({
  de: {
    title: 'Anleitungen zur API',
    intro:
      'Acht kurze Anleitungen für den Anfang. Die Beispiele enthalten Haltestellen dieses Dienstes und lassen sich so, wie ' +
      'sie hier stehen, in ein Terminal kopieren; Wörter in Großbuchstaben stehen für Werte aus früheren Antworten. Ein ' +
      'Schlüssel ist nicht nötig.',
    allCodes: 'Alle Fehlercodes',
    guides: {
      'first-board': {
        title: 'Die erste Abfahrtstafel',
        text: [
          'Zwei Anfragen genügen: Suchen Sie die Haltestelle nach ihrem Namen, und laden Sie mit ihrer `id` die Abfahrten.',
        ],
        after: [
          '`departure.scheduled` ist die Zeit laut Fahrplan. `departure.realtime` kommt hinzu, sobald eine Quelle die Fahrt ' +
            'meldet; wenn es fehlt, ist die Verspätung unbekannt und nicht null. Eine Fahrt mit `cancelled` fällt aus und ' +
            'bleibt auf der Tafel. `products` und `line` schränken die Tafel ein, `time` wählt eine andere Zeit.',
        ],
      },
      'first-trip': {
        title: 'Die erste Verbindung',
        text: [
          'Start und Ziel sind je eine Haltestelle (`stopId`) oder ein Punkt (`lat`, `lon`). Ohne `time` beginnt die Suche jetzt.',
        ],
        after: [
          'Jede Verbindung besteht aus `legs`: Fahrten (`transit`) und den Wegen dazwischen. `transferRisk` sagt, wie sicher ein Umstieg ist. ' +
            'Mit `journeyRef` lädt `/v2/journeys/{ref}` alle Halte einer Fahrt. Was zu tun ist, wenn unterwegs etwas schiefgeht, ' +
            'sagt `/v2/rescue`.',
        ],
      },
      watching: {
        title: 'Eine Verbindung beobachten',
        text: [
          'Schicken Sie die Fahrten einer Verbindung an `/v2/trips/watch`. Der Dienst prüft sie mit jeder Echtzeitmeldung und ' +
            'meldet Verspätungen, Gleiswechsel, Ausfälle, unsichere Anschlüsse und Störungen.',
        ],
        after: [
          'Die Antwort enthält eine `watchId`. Mit ihr und derselben Anfrage verlängern Sie die Beobachtung und holen ihre ' +
            'Ereignisse ab; jedes hat eine eigene `id` und einen fertigen Satz für Fahrgäste. Mit `delivery` kommen die ' +
            'Ereignisse stattdessen als Web Push. Das `X-Installation-Token` wählt Ihre App selbst, eines je Gerät.',
        ],
      },
      paging: {
        title: 'Blättern',
        text: [
          '`nextPageToken` setzt eine Tafel fort. Es enthält die ganze Anfrage; schicken Sie es allein, als `pageToken`.',
        ],
        after: [
          'Verbindungen haben `earlierRef` und `laterRef`: Wiederholen Sie die Anfrage ohne `time`, mit einem der beiden als ' +
            '`pageRef`. Fehlt ein solches Feld, gibt es in dieser Richtung nichts mehr.',
        ],
      },
      caching: {
        title: 'Zwischenspeichern',
        text: [
          '`Cache-Control` sagt, wie lange eine Antwort gilt. Danach schicken Sie ihren `ETag` als `If-None-Match` zurück: ' +
            'Hat sich nichts geändert, kommt `304` ohne Inhalt.',
        ],
        after: [
          '`Data-Version` nennt den Stand von Fahrplan und Echtzeit, aus dem die Antwort stammt. Antworten auf POST werden nie ' +
            'zwischengespeichert.',
        ],
      },
      errors: {
        title: 'Fehler',
        text: [
          'Jeder Fehler ist `application/problem+json` nach RFC 9457. Entscheiden Sie nach `code`, er ist stabil; `detail` ' +
            'ist für Menschen, und `parameter` nennt die fehlerhafte Stelle der Anfrage.',
        ],
        after: [
          'Unbekannte Parameter und Felder werden abgelehnt, damit Tippfehler auffallen. Bei `429` und `503` sagt `Retry-After`, ' +
            'wie viele Sekunden Sie warten sollen; alle anderen Anfragen mit Status `4xx` scheitern auch beim nächsten Mal.',
        ],
      },
      browser: {
        title: 'Aus einer Webseite',
        text: [
          '`/v1` darf jede Webseite aufrufen. `/v2` ist für Apps und Server: Anfragen mit dem Header `Origin`, den Browser von ' +
            'selbst mitschicken, lehnt es mit `origin_not_allowed` ab. So kann keine fremde Seite im Namen ihrer Besucher ' +
            'Anfragen stellen.',
        ],
        after: [
          'Eine öffentliche Seite stellt deshalb einen kleinen Server zwischen Browser und `/v2`. Er bestimmt, welche Routen ' +
            'Besucher nutzen dürfen, und hält Antworten einige Sekunden vor. Ein fertiger Server mit Abfahrtstafel und ' +
            'Verbindungssuche liegt dem Programm bei: `examples/web`.',
        ],
      },
      'fair-use': {
        title: 'Faire Nutzung',
        text: [
          'Jede Route kostet einige Einheiten, die in der Referenz stehen. Eine Adresse darf je Minute eine bestimmte Zahl ' +
            'davon verbrauchen; `RateLimit` sagt, wie viele noch übrig sind (`r`) und nach wie vielen Sekunden wieder alle ' +
            'bereitstehen (`t`).',
        ],
        after: [
          'Ist das Kontingent aufgebraucht, antwortet der Dienst mit `429 rate_limited`. Teilen sich viele Geräte eine Adresse, ' +
            'trennt ein `X-Installation-Token` je Gerät ihre Kontingente. Ohne diese Header hat der Betreiber kein Limit gesetzt. ' +
            'Wer speichert, was `Cache-Control` erlaubt, kommt mit wenigen Einheiten aus.',
        ],
      },
    },
  },
  en: {
    title: 'API guides',
    intro:
      'Eight short guides to get you started. The examples use stops of this service, so you can paste them into a terminal ' +
      'as they are; words in capitals stand for values of earlier responses. No key is needed.',
    allCodes: 'All error codes',
    guides: {
      'first-board': {
        title: 'Your first board',
        text: ['Two requests are enough: find the stop by name, then load its departures with its `id`.'],
        after: [
          '`departure.scheduled` is the time in the timetable. `departure.realtime` is added once a source reports the trip; ' +
            'while it is absent, the delay is unknown, not zero. A departure that is `cancelled` stays on the board. Use ' +
            '`products` and `line` to narrow the board, and `time` to choose another time.',
        ],
      },
      'first-trip': {
        title: 'Your first trip',
        text: [
          'Origin and destination are each a stop (`stopId`) or a point (`lat`, `lon`). Without `time`, the search begins now.',
        ],
        after: [
          'Each trip consists of `legs`: rides (`transit`) and the walks between them. `transferRisk` states how safe a transfer is. Use a ' +
            '`journeyRef` with `/v2/journeys/{ref}` to load all calls of a ride. If something goes wrong on the way, ' +
            '`/v2/rescue` returns the options.',
        ],
      },
      watching: {
        title: 'Watching a trip',
        text: [
          'Send the rides of a trip to `/v2/trips/watch`. The service checks them with all new realtime data and reports ' +
            'delays, platform changes, cancellations, transfers at risk and disruptions.',
        ],
        after: [
          'The response contains a `watchId`. Repeat the request with it to extend the watch and to fetch its events; each has ' +
            'its own `id` and a sentence that you can show to travellers. With `delivery`, events arrive by Web Push instead. ' +
            'Your app chooses the `X-Installation-Token`, one for each device.',
        ],
      },
      paging: {
        title: 'Paging',
        text: ['`nextPageToken` continues a board. It contains the whole query, so send it alone, as `pageToken`.'],
        after: [
          'Trips have `earlierRef` and `laterRef`: repeat the request without `time`, with one of them as `pageRef`. If such a ' +
            'member is absent, there is nothing more in that direction.',
        ],
      },
      caching: {
        title: 'Caching',
        text: [
          '`Cache-Control` says how long a response stays valid. After that, send its `ETag` back as `If-None-Match`: if ' +
            'nothing has changed, you get `304` without a body.',
        ],
        after: [
          '`Data-Version` identifies the timetable and realtime data of the response. Responses to POST are never cached.',
        ],
      },
      errors: {
        title: 'Errors',
        text: [
          'Every error is `application/problem+json` as in RFC 9457. Branch on `code`, which is stable; `detail` is for ' +
            'people, and `parameter` names the invalid part of the request.',
        ],
        after: [
          'Unknown parameters and members are rejected, so that typos do not go unnoticed. For `429` and `503`, ' +
            '`Retry-After` says how many seconds to wait; any other request with a status of `4xx` fails again when repeated.',
        ],
      },
      browser: {
        title: 'From a web page',
        text: [
          'Any web page may call `/v1`. `/v2` is for apps and servers: it rejects requests with an `Origin` header, which ' +
            'browsers add by themselves, with `origin_not_allowed`. This keeps other sites from making requests on behalf of ' +
            'their visitors.',
        ],
        after: [
          'A public page therefore needs a small server between the browser and `/v2`. The server decides which routes visitors ' +
            'may use, and keeps responses for a few seconds. A complete one, with a departure board and a trip search, comes ' +
            'with the program: `examples/web`.',
        ],
      },
      'fair-use': {
        title: 'Fair use',
        text: [
          'Each route costs a number of units, given in the reference. An address may spend a certain number of them per ' +
            'minute; `RateLimit` says how many are left (`r`), and in how many seconds all are available again (`t`).',
        ],
        after: [
          'Once they are spent, the service answers `429 rate_limited`. If many devices share an address, an ' +
            '`X-Installation-Token` for each of them separates their quotas. Without these headers, the operator has set no ' +
            'limit. If you cache what `Cache-Control` allows, you will need few units.',
        ],
      },
    },
  },
});
