import type { ReportBuilder } from '../frame/report-builder.ts';
import { idFrom, idSource } from '../../awel/names.ts';
import { authenticationOf } from './services/authentications.ts';

/** Kinds of credentials of n8n, and the connections that stand for them: their kind, and the service of a sign-in by OAuth2. */
const KINDS: readonly (readonly [pattern: RegExp, kind: string, service?: string])[] = [
  [/^(?:google|gmail|gSuite|youTube|firebase).*OAuth2|^googleApi$|^googlePalm/i, 'oauth2', 'google'],
  [/^(?:microsoft|azureAd).*/i, 'oauth2', 'microsoft'],
  [/^slack/i, 'oauth2', 'slack'],
  [/^notion/i, 'oauth2', 'notion'],
  [/^github/i, 'oauth2', 'github'],
  [/^gitlab/i, 'oauth2', 'gitlab'],
  [/^hubspot/i, 'oauth2', 'hubspot'],
  [/^airtable/i, 'oauth2', 'airtable'],
  [/^(?:twitter|xApi)/i, 'oauth2', 'x'],
  [/^linkedIn/i, 'oauth2', 'linkedin'],
  [/^reddit/i, 'oauth2', 'reddit'],
  [/^salesforce/i, 'oauth2', 'salesforce'],
  [/^spotify/i, 'oauth2', 'spotify'],
  [/^zoho/i, 'oauth2', 'zoho'],
  [/^dropbox/i, 'oauth2', 'dropbox'],
  [/^postgres|^supabaseDb|^timescale|^cockroach/i, 'postgres'],
  [/^mySql|^mariaDb/i, 'mysql'],
  [/^redis/i, 'redis'],
  [/^(?:smtp|imap)/i, 'mail'],
  [/^aws\w*Host$/, 'http'],
  [/^(?:aws|s3)/i, 's3'],
  // The app itself signs in there.
  [/^(?:payPal|bitwarden)Api$/, 'oauth2'],
  [/^(?:ssh|sftp)/i, 'ssh'],
  [/oAuth2/i, 'oauth2'],
];

export function kindOf(type: string): { readonly kind: string; readonly service: string } {
  const [, kind, service] = KINDS.find(([pattern]) => pattern.test(type)) ?? [undefined, 'http'];
  return { kind, service: service ?? plain(type) };
}

/** `pipedriveApi` as `pipedrive`. */
const plain = (type: string): string => type.replace(/(?:OAuth2|Oauth2)?Api$/, '').toLowerCase() || 'http';

/** Names of connections for credentials, each once, and the need for them. */
export function createConnections(report: ReportBuilder): (credential: string, type: string) => string {
  const idOf = idSource([]);
  const names = new Map<string, string>();
  return (credential, type) => {
    const key = `${type} ${credential}`;
    const known = names.get(key);
    if (known !== undefined) return known;
    const name = idOf(idFrom(credential, 'connection'));
    names.set(key, name);
    const { kind, service } = kindOf(type);
    report.need({
      kind: 'connection',
      name,
      service,
      nodes: [],
      message: `Make the connection ${name} of the kind ${kind}${kind === 'oauth2' ? ` (${service})` : ''}, which was the credential “${credential}”.${kind === 'http' ? authenticationOf(type) : ''}`,
    });
    return name;
  };
}
