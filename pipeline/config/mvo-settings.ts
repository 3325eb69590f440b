import { text } from './setting.ts';

const serviceAddress = /^https?:\/\/[^\s?#@]*[^\s?#@/]$/;

/** Settings of the data platform of the Mobilitätsverbünde, which publishes the national timetable. */
export const mvoSettings = {
  mvo: {
    user: text({
      environment: 'TAKTGEBER_MVO_USER',
      default: null,
      isSecret: true,
      about: 'User of the account at the data platform of the Mobilitätsverbünde; sources of kind `mvo` need it.',
    }),
    password: text({
      environment: 'TAKTGEBER_MVO_PASSWORD',
      default: null,
      isSecret: true,
      about: 'Password of this account.',
    }),
    url: text({
      environment: 'TAKTGEBER_MVO_URL',
      default: 'https://data.mobilitaetsverbuende.at/api/public/v1',
      allowed: 'an http or https address without a slash at its end',
      pattern: serviceAddress,
      about: 'Address of the API of the platform.',
    }),
    tokenUrl: text({
      environment: 'TAKTGEBER_MVO_TOKEN_URL',
      default: 'https://user.mobilitaetsverbuende.at/auth/realms/dbp-public/protocol/openid-connect/token',
      allowed: 'an http or https address without a slash at its end',
      pattern: serviceAddress,
      about: 'Where the platform exchanges the account for a token (OpenID Connect, password grant).',
    }),
    clientId: text({
      environment: 'TAKTGEBER_MVO_CLIENT_ID',
      default: 'dbp-public-ui',
      about: 'OpenID client of the platform to which the token is issued.',
    }),
  },
} as const;
