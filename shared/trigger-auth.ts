/**
 * Who may call an HTTP trigger: its param `auth`, as the file holds it. What a signature looks like is data here, so that the
 * server that checks it and the editor that explains it say the same.
 */
export type TriggerAuth =
  | 'none'
  | 'api-key'
  | SignatureAuth
  | BasicAuth
  | HeaderAuth
  | TokenAuth
  | KeyedTokenAuth;

interface SecretReference {
  readonly $secret: string;
}

/** A user name and a password, which is the secret. */
export interface BasicAuth {
  readonly type: 'basic';
  readonly user: string;
  readonly secret: SecretReference;
}

/** A header whose value is the secret. */
export interface HeaderAuth {
  readonly type: 'header';
  /** `x-api-key` by default. */
  readonly header?: string | undefined;
  readonly secret: SecretReference;
}

/** A JSON Web Token (RFC 7519) that an issuer has signed with one of its published keys. */
export interface TokenAuth {
  readonly type: 'jwt';
  readonly issuer: string;
  readonly audience: string;
  /** The address of the issuer's keys (RFC 7517). By default the issuer's own description names it (OpenID Connect Discovery). */
  readonly jwks?: string | undefined;
}

/** A JSON Web Token that is signed with a secret that both sides know, or whose public key is the secret. */
export interface KeyedTokenAuth {
  readonly type: 'jwt-secret';
  readonly secret: SecretReference;
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
}

/** An HMAC of the raw body with a secret that both sides know. */
export interface SignatureAuth extends Partial<SignatureForm> {
  readonly type: 'hmac';
  readonly preset?: SignaturePreset | undefined;
  readonly secret: SecretReference;
}

export const signaturePresets = ['custom', 'github', 'stripe', 'slack'] as const;
export type SignaturePreset = (typeof signaturePresets)[number];

export const signatureAlgorithms = ['sha256', 'sha1', 'sha512'] as const;
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

/** What a sender has to do, in the fields of `auth` with the preset `custom`. */
export interface SignatureForm {
  /** The header that carries the signature. */
  readonly header: string;
  readonly algorithm: SignatureAlgorithm;
  readonly encoding: 'hex' | 'base64';
  /** What stands in the header before the signature. */
  readonly prefix: string;
  /** The header with the time of sending in Unix seconds, which is then signed as `<time>.<body>`. Without: the body alone. */
  readonly timestampHeader: string | undefined;
  /** How old a signed time may be, in seconds. */
  readonly tolerance: number;
}

export const customSignature: SignatureForm = {
  header: 'x-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: '',
  timestampHeader: undefined,
  tolerance: 300,
};

const github: SignatureForm = { ...customSignature, header: 'x-hub-signature-256', prefix: 'sha256=' };
const slack: SignatureForm = {
  ...customSignature,
  header: 'x-slack-signature',
  prefix: 'v0=',
  timestampHeader: 'x-slack-request-timestamp',
};
/** Its header holds the time as well: `t=<time>,v1=<signature>`, with more than one `v1` while a secret is being replaced. */
const stripe: SignatureForm = { ...customSignature, header: 'stripe-signature' };

const forms: Readonly<Record<SignaturePreset, SignatureForm>> = {
  custom: customSignature,
  github,
  stripe,
  slack,
};

/** What a sender has to do for this trigger. */
export function signatureForm(auth: Omit<SignatureAuth, 'type' | 'secret'>): SignatureForm {
  const { preset = 'custom' } = auth;
  if (preset !== 'custom') return forms[preset];
  return {
    header: auth.header ?? customSignature.header,
    algorithm: auth.algorithm ?? customSignature.algorithm,
    encoding: auth.encoding ?? customSignature.encoding,
    prefix: auth.prefix ?? customSignature.prefix,
    timestampHeader: auth.timestampHeader,
    tolerance: auth.tolerance ?? customSignature.tolerance,
  };
}

export const SECRET_HEADER = 'x-api-key';

/** The header of its own in which the credentials of this trigger arrive, in lower case. */
export function credentialHeader(auth: TriggerAuth | undefined): string | undefined {
  if (typeof auth !== 'object') return undefined;
  if (auth.type === 'header') return (auth.header ?? SECRET_HEADER).toLowerCase();
  return auth.type === 'hmac' ? signatureForm(auth).header.toLowerCase() : undefined;
}

/** What a caller has to send, as headers; none where the trigger is open. */
export function headersToSend(auth: TriggerAuth): string[] {
  if (auth === 'none') return [];
  if (auth === 'api-key') return ['Authorization: Bearer <API key>'];
  if (auth.type === 'basic') return [`Authorization: Basic base64(${auth.user}:<password>)`];
  if (auth.type === 'header') return [`${auth.header ?? SECRET_HEADER}: <secret>`];
  if (auth.type === 'jwt') return [`Authorization: Bearer <token of ${auth.issuer} for ${auth.audience}>`];
  if (auth.type === 'jwt-secret') return ['Authorization: Bearer <signed JSON Web Token>'];
  const form = signatureForm(auth);
  const mac = (text: string) => `<${form.encoding} of HMAC-${form.algorithm.toUpperCase()}(secret, ${text})>`;
  if (auth.preset === 'stripe') return [`${form.header}: t=<Unix seconds>,v1=${mac('"<t>." + body')}`];
  const { timestampHeader: time } = form;
  if (time === undefined) return [`${form.header}: ${form.prefix}${mac('body')}`];
  const text = auth.preset === 'slack' ? '"v0:<time>:" + body' : '"<time>." + body';
  return [`${time}: <Unix seconds>`, `${form.header}: ${form.prefix}${mac(text)}`];
}
