import {
  createLocalJWKSet,
  errors,
  importSPKI,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { WeftError } from '#engine';
import type { KeyedTokenAuth, TokenAuth } from '#shared/trigger-auth.ts';
import type { Claims } from './gate.ts';
import { createIssuerKeys, type KeyDeps } from './issuer-keys.ts';

/** The claims of a token, why it is refused, or why none can be checked. */
export type TokenVerdict =
  | { readonly claims: Claims }
  | { readonly refused: string }
  | { readonly problem: string };

/** Checks JSON Web Tokens. */
export interface TokenCheck {
  /** `secret` is the shared secret, or the public key. */
  check(
    auth: TokenAuth | KeyedTokenAuth,
    authorization: string | undefined,
    secret: string | undefined,
  ): Promise<TokenVerdict>;
}

/** Clocks of two machines differ; in seconds. */
const TOLERANCE = 30;

/** `none` is not among them, and a public key is never used as a shared secret. */
const SHARED = ['HS256', 'HS384', 'HS512'];
const PUBLIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Checks JSON Web Tokens (RFC 7519): signature, `exp`, which must be there, `nbf`, and issuer and audience as the trigger asks. */
export function createTokenCheck(deps: KeyDeps): TokenCheck {
  const issuers = createIssuerKeys(deps);
  return {
    async check(auth, authorization, secret) {
      const token = /^bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i.exec(authorization ?? '')?.[1];
      if (token === undefined) return { refused: 'This trigger needs a JSON Web Token' };
      const options = {
        ...(auth.issuer !== undefined && { issuer: auth.issuer }),
        ...(auth.audience !== undefined && { audience: auth.audience }),
        requiredClaims: ['exp'],
        clockTolerance: TOLERANCE,
        currentDate: new Date(deps.now()),
      };
      try {
        const { payload } =
          auth.type === 'jwt'
            ? await issuers.withKeys(auth, (keys) =>
                jwtVerify(token, keyOf(keys), { ...options, algorithms: PUBLIC }),
              )
            : await verifiedBy(secret ?? '', token, options);
        return { claims: payload };
      } catch (error) {
        return verdictOf(error);
      }
    },
  };
}

function keyOf(keys: JSONWebKeySet): JWTVerifyGetKey {
  return createLocalJWKSet(keys);
}

async function verifiedBy(
  secret: string,
  token: string,
  options: Parameters<typeof jwtVerify>[2],
): Promise<{ payload: JWTPayload }> {
  if (!secret.includes('-----BEGIN'))
    return jwtVerify(token, new TextEncoder().encode(secret), { ...options, algorithms: SHARED });
  return jwtVerify(token, ({ alg }) => publicKey(secret, alg), { ...options, algorithms: PUBLIC });
}

async function publicKey(pem: string, algorithm: string) {
  try {
    return await importSPKI(pem, algorithm);
  } catch (error) {
    if (error instanceof errors.JOSEError) throw error;
    throw new WeftError(
      'bad_params',
      'The secret is not a public key in PEM (SPKI) for the algorithm of the token.',
    );
  }
}

function verdictOf(error: unknown): TokenVerdict {
  if (error instanceof WeftError) return { problem: error.message };
  if (error instanceof errors.JWTExpired) return { refused: 'The token has expired' };
  if (error instanceof errors.JWTClaimValidationFailed)
    return { refused: `The token is for somebody else, or from somebody else (\`${error.claim}\`)` };
  if (error instanceof errors.JOSEError)
    return { refused: 'The token is not signed by the issuer, or not as agreed' };
  throw error;
}
