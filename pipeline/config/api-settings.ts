import { isIP } from 'node:net';
import { GIBIBYTE, MEBIBYTE } from './byte-units.ts';
import { choice, flag, integer, number, text } from './setting.ts';

/** Settings of the service that answers requests. */
export const apiSettings = {
  host: text({
    environment: 'TAKTGEBER_HOST',
    default: '127.0.0.1',
    allowed: 'a host name or an address',
    about: 'Address the api listens on; `0.0.0.0` or `::` opens it to other machines.',
  }),
  port: integer({
    environment: 'TAKTGEBER_PORT',
    default: 8080,
    minimum: 0,
    maximum: 65_535,
    about: 'Port the api listens on; 0 lets the system choose.',
  }),
  shutdown: {
    drainSeconds: number({
      environment: 'TAKTGEBER_SHUTDOWN_DRAIN_SECONDS',
      default: 0,
      minimum: 0,
      maximum: 60,
      about:
        'Seconds for which the api answers on after SIGTERM, while `/ready` is 503: what a load balancer needs to notice.',
    }),
  },
  trustProxy: text({
    environment: 'TAKTGEBER_TRUST_PROXY',
    default: null,
    allowed: 'addresses or ranges, comma-separated, such as "loopback, 10.0.0.0/8"',
    isAllowed: isProxyList,
    about: 'Proxies whose `X-Forwarded-For` is trusted to identify clients; none when not set.',
  }),
  publicUrl: text({
    environment: 'TAKTGEBER_PUBLIC_URL',
    default: null,
    allowed: 'an http or https address without a slash at its end',
    isAllowed: isBaseUrl,
    about: 'Public address of the api, for links in its answers.',
  }),
  referenceKey: text({
    environment: 'TAKTGEBER_REFERENCE_KEY',
    default: null,
    allowed: '64 hexadecimal characters',
    pattern: /^[0-9a-f]{64}$/i,
    isSecret: true,
    about: 'Key of journey references, the same for all replicas; generated at the first start when not set.',
  }),
  explore: {
    clients: choice({
      environment: 'TAKTGEBER_EXPLORE_CLIENTS',
      default: 'loopback',
      choices: ['none', 'loopback', 'all'],
      about:
        'Who may query the lake in SQL on the page `/explore`: nobody, clients on this machine that connect without a proxy, or everybody.',
    }),
  },
  fairUse: {
    unitsPerMinute: number({
      environment: 'TAKTGEBER_FAIR_USE_UNITS_PER_MINUTE',
      default: 120,
      minimum: 0,
      maximum: 1_000_000,
      about: 'Cost units one address may spend per minute; 0 turns fair use off.',
    }),
    burst: number({
      environment: 'TAKTGEBER_FAIR_USE_BURST',
      default: 60,
      minimum: 1,
      maximum: 1_000_000,
      about: 'Cost units one address may spend in a burst after a pause.',
    }),
  },
  limits: {
    bodyBytes: integer({
      environment: 'TAKTGEBER_LIMITS_BODY_BYTES',
      default: 262_144,
      minimum: 1024,
      maximum: 16 * MEBIBYTE,
      about: 'Largest body of a request.',
    }),
    urlBytes: integer({
      environment: 'TAKTGEBER_LIMITS_URL_BYTES',
      default: 24_576,
      minimum: 1024,
      maximum: MEBIBYTE,
      about: 'Longest address of a request.',
    }),
    headerBytes: integer({
      environment: 'TAKTGEBER_LIMITS_HEADER_BYTES',
      default: 16_384,
      minimum: 1024,
      maximum: MEBIBYTE,
      about: 'Largest headers of a request, all together.',
    }),
    requestTimeoutSeconds: number({
      environment: 'TAKTGEBER_LIMITS_REQUEST_TIMEOUT_SECONDS',
      default: 15,
      minimum: 1,
      maximum: 300,
      about: 'Time a client has to send a request, and the service to answer it.',
    }),
  },
  responseCache: {
    maxBytes: integer({
      environment: 'TAKTGEBER_RESPONSE_CACHE_MAX_BYTES',
      default: 64 * MEBIBYTE,
      minimum: 0,
      maximum: 16 * GIBIBYTE,
      about: 'Memory of the response cache; 0 turns it off.',
    }),
  },
  planner: {
    threads: integer<number | null>({
      environment: 'TAKTGEBER_PLANNER_THREADS',
      default: null,
      minimum: 0,
      maximum: 256,
      about:
        'Threads that plan trips and footpaths; one fewer than there are cores when not set, but two on two cores with 1.5 GB of memory. 0 plans trips and evaluates watches in the HTTP thread, which blocks other requests.',
    }),
    maxQueued: integer({
      environment: 'TAKTGEBER_PLANNER_MAX_QUEUED',
      default: 64,
      minimum: 0,
      maximum: 100_000,
      about: 'Requests that may wait for one of these threads; others are rejected as `overloaded`.',
    }),
    timeLimitSeconds: number({
      environment: 'TAKTGEBER_PLANNER_TIME_LIMIT_SECONDS',
      default: 8,
      minimum: 0.1,
      maximum: 300,
      about: 'Time limit of a trip or footpath request, including the time in the queue.',
    }),
    startLimitSeconds: number({
      environment: 'TAKTGEBER_PLANNER_START_LIMIT_SECONDS',
      default: 60,
      minimum: 1,
      maximum: 3600,
      about:
        'Time limit for each step of starting a planning thread; a thread that exceeds it is replaced, with twice the limit.',
    }),
  },
  announcements: {
    file: text({
      environment: 'TAKTGEBER_ANNOUNCEMENTS_FILE',
      default: 'announcements.yaml',
      allowed: 'the path of a file',
      about:
        'Notices that apps and pages show, edited by hand or by `taktgeber announcements`; a relative path is in the data folder.',
    }),
  },
  map: {
    tilesUrl: text({
      environment: 'TAKTGEBER_MAP_TILES_URL',
      default: null,
      allowed: 'an https address with {z}, {x} and {y}, such as https://tiles.example.org/{z}/{x}/{y}.png',
      pattern: /^https:\/\/[^\s"'<>;,]+$/,
      isAllowed: (address) => ['{z}', '{x}', '{y}'].every((part) => address.includes(part)) && URL.canParse(address),
      about:
        'Address of 256-pixel map tiles below the lines of the page `/map`, from a server whose terms allow it; browsers fetch them directly. None when not set.',
    }),
    tilesAttribution: text({
      environment: 'TAKTGEBER_MAP_TILES_ATTRIBUTION',
      default: null,
      allowed: 'a text',
      about: 'Attribution of these tiles, shown below the map.',
    }),
  },
  watches: {
    file: text({
      environment: 'TAKTGEBER_WATCHES_FILE',
      default: 'watches/watches.sqlite',
      allowed: 'the path of a file',
      about: 'SQLite file of the watches, on a local disk; a relative path is in the data folder.',
    }),
    postgresUrl: text({
      environment: 'TAKTGEBER_WATCHES_POSTGRES_URL',
      default: null,
      allowed: 'an address such as postgres://user:password@host/database',
      pattern: /^postgres(ql)?:\/\//,
      isSecret: true,
      about: 'Database of the watches instead of a file; needed where several replicas serve the same apps.',
    }),
    maxTotal: integer({
      environment: 'TAKTGEBER_WATCHES_MAX_TOTAL',
      default: 200_000,
      minimum: 0,
      maximum: 10_000_000,
      about: 'Maximum number of watches; further ones are rejected as `watch_limit`.',
    }),
    maxPerAddress: integer({
      environment: 'TAKTGEBER_WATCHES_MAX_PER_ADDRESS',
      default: 2000,
      minimum: 1,
      maximum: 10_000_000,
      about: 'Maximum number of watches of one address; mobile networks share one among many devices.',
    }),
    maxPerToken: integer({
      environment: 'TAKTGEBER_WATCHES_MAX_PER_TOKEN',
      default: 50,
      minimum: 1,
      maximum: 10_000_000,
      about: 'Maximum number of watches of one installation of an app.',
    }),
    pushHosts: text({
      environment: 'TAKTGEBER_WATCHES_PUSH_HOSTS',
      default:
        'fcm.googleapis.com, updates.push.services.mozilla.com, *.push.services.mozilla.com, *.push.apple.com, *.notify.windows.com',
      allowed: 'host names, comma-separated, each possibly with a leading "*."',
      pattern: /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+( *, *(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+)*$/,
      about: 'Hosts that events may be pushed to; `*.` stands for any name below.',
    }),
    vapidKey: text({
      environment: 'TAKTGEBER_WATCHES_VAPID_KEY',
      default: null,
      allowed: '43 characters of base64url: a private key of the curve P-256',
      pattern: /^[A-Za-z0-9_-]{43}$/,
      isSecret: true,
      about:
        'Key that signs pushes, the same for all replicas; generated at the first start when not set. `taktgeber push-key` prints its public half.',
    }),
    pushContact: text({
      environment: 'TAKTGEBER_WATCHES_PUSH_CONTACT',
      default: null,
      allowed: 'a mailto or https address',
      pattern: /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/,
      isAllowed: (address) => URL.canParse(address),
      about:
        'Contact of the operator for push services, some of which require it; `publicUrl` when not set, if that is https.',
    }),
    allowLoopbackPushes: flag({
      environment: 'TAKTGEBER_WATCHES_ALLOW_LOOPBACK_PUSHES',
      default: false,
      about: 'For tests: whether events may also be pushed over http to this machine, to any port.',
    }),
  },
} as const;

/** As Fastify accepts them: names of ranges, addresses, and addresses with a prefix length. */
function isProxyList(list: string): boolean {
  return list.split(',').every((entry) => {
    const [address = '', bits, ...rest] = entry.trim().split('/');
    if (bits === undefined && ['loopback', 'linklocal', 'uniquelocal'].includes(address)) return true;
    const version = isIP(address);
    const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
    return version !== 0 && isPrefix && rest.length === 0;
  });
}

function isBaseUrl(address: string): boolean {
  return /^https?:\/\//.test(address) && !address.endsWith('/') && URL.canParse(address);
}
