import { credentialHeader, headersToSend, signatureForm, type TriggerAuth } from '#shared/trigger-auth.ts';
import { cookieName } from '../../../access/security/cookies.ts';
import type { RouteScope } from '../../../access/security/scopes.ts';
import type { SecurityRequirement, SecurityScheme } from './openapi.ts';

const BEARER = 'apiKey';
const SESSION = 'session';
const CSRF = 'csrf';

const bearer: SecurityScheme = {
  type: 'http',
  scheme: 'bearer',
  description: 'An API key, in `Authorization: Bearer <API key>`; each call names the scope that it needs.',
};

/** The schemes of the platform itself. */
export function platformSchemes(port: number): Record<string, SecurityScheme> {
  return {
    [BEARER]: bearer,
    [SESSION]: {
      type: 'apiKey',
      in: 'cookie',
      name: cookieName(port),
      description: 'The session of a browser that has signed in to the editor.',
    },
    [CSRF]: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Weft-CSRF',
      description: 'Required with the session for every change; `GET /api/v1/session` returns it.',
    },
  };
}

/** The requirements of a route with this scope; `changes` means that its method may change something. */
export function routeSecurity(scope: RouteScope, changes: boolean): SecurityRequirement[] {
  if (scope === 'public' || scope === 'trigger-auth') return [];
  const session = { [SESSION]: [], ...(changes && { [CSRF]: [] }) };
  return scope === 'session' ? [session] : [{ [BEARER]: [scope] }, session];
}

/** The requirements of a trigger, with their schemes. */
export interface TriggerSecurity {
  readonly security: readonly SecurityRequirement[];
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Instructions for the caller, if a scheme cannot express them. */
  readonly note: string | undefined;
}

export function triggerSecurity(auth: TriggerAuth): TriggerSecurity {
  if (auth === 'none') return { security: [], schemes: {}, note: undefined };
  if (auth === 'api-key')
    return { security: [{ [BEARER]: ['triggers'] }], schemes: { [BEARER]: bearer }, note: undefined };
  const note = `Send ${headersToSend(auth)
    .map((header) => `\`${header}\``)
    .join(' and ')}.`;
  if (auth.type === 'basic') {
    const basic: SecurityScheme = {
      type: 'http',
      scheme: 'basic',
      description: 'The user and password of the trigger.',
    };
    return { security: [{ basic: [] }], schemes: { basic }, note };
  }
  if (auth.type === 'header') return { ...signed([credentialHeader(auth) as string]), note };
  if (auth.type !== 'hmac') {
    const token: SecurityScheme = {
      type: 'http',
      scheme: 'bearer',
      description: auth.type === 'jwt' ? `A JSON Web Token of ${auth.issuer}.` : 'A JSON Web Token.',
    };
    return { security: [{ token: [] }], schemes: { token }, note };
  }
  return { ...signed(signatureHeaders(auth)), note };
}

function signatureHeaders(auth: Exclude<TriggerAuth, string> & { type: 'hmac' }): string[] {
  const { header, timestampHeader } = signatureForm(auth);
  return timestampHeader === undefined ? [header] : [header, timestampHeader];
}

/** OpenAPI has no scheme for signatures: their headers are described as keys. */
function signed(headers: readonly string[]): Pick<TriggerSecurity, 'security' | 'schemes'> {
  const schemes = headers.map((name) => [
    `header_${name.toLowerCase().replaceAll(/[^\w.-]/g, '_')}`,
    {
      type: 'apiKey',
      in: 'header',
      name,
      description: 'Computed for each request; the call describes how.',
    } as const,
  ]);
  return {
    security: [Object.fromEntries(schemes.map(([scheme]) => [scheme, []]))],
    schemes: Object.fromEntries(schemes) as Record<string, SecurityScheme>,
  };
}
