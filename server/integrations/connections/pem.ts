import { createPrivateKey, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { PEM_BLOCK } from '../../base/secrets/redactor.ts';

/** Certificates and keys in settings, as PEM. */

const MOST = 100;

interface Block {
  readonly label: string;
  /** With its line breaks, which fields of one line lose. */
  readonly text: string;
}

function blocksIn(pem: string): Block[] {
  return [...pem.matchAll(PEM_BLOCK)].slice(0, MOST).map(([, label = '', body = '']) => {
    const lines = body.replaceAll(/\s/g, '').match(/.{1,64}/g) ?? [];
    return { label, text: `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n` };
  });
}

/** A private key with its line breaks; as it is if it is in another form. */
export function privateKeyIn(text: string): string {
  return blocksIn(text).find(({ label }) => label.endsWith('PRIVATE KEY'))?.text ?? text;
}

/** Certificates of authorities. */
export const authoritiesField = z
  .string()
  .max(262_144)
  .superRefine((pem, context) => {
    const fault = pem === '' ? undefined : faultOfCertificates(blocksIn(pem));
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  })
  .default('')
  .describe(
    'The certificates (PEM) of the authorities that alone are trusted here, if the certificate of the service is not from a public one.',
  )
  .meta({ widget: 'textarea', title: 'CA certificate', group: 'Certificates' });

/** A certificate of the client, with its key. */
export const clientCertificateField = z
  .string()
  .max(65_536)
  .superRefine((pem, context) => {
    const fault = pem === '' ? undefined : faultOfPair(blocksIn(pem));
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  })
  .default('')
  .describe(
    'The certificate that this client shows, and its private key, in PEM one after the other; empty if the service asks for none.',
  )
  .meta({ format: 'password', widget: 'textarea', title: 'Client certificate', group: 'Certificates' });

function faultOfCertificates(blocks: readonly Block[]): string | undefined {
  const certificates = blocks.filter(({ label }) => label === 'CERTIFICATE');
  if (certificates.length === 0) return 'it has no certificate (-----BEGIN CERTIFICATE-----)';
  try {
    for (const { text } of certificates) new X509Certificate(text);
    return undefined;
  } catch {
    return 'a certificate in it cannot be read';
  }
}

function faultOfPair(blocks: readonly Block[]): string | undefined {
  const fault = faultOfCertificates(blocks);
  if (fault !== undefined) return fault;
  const keys = blocks.filter(({ label }) => label.endsWith('PRIVATE KEY'));
  if (keys.some(({ label }) => label.startsWith('ENCRYPTED')))
    return 'its key is protected by a password; `openssl pkey -in key.pem` writes it without';
  if (keys.length !== 1)
    return 'it needs one private key (-----BEGIN PRIVATE KEY-----) after the certificate';
  const certificate = blocks.find(({ label }) => label === 'CERTIFICATE');
  try {
    const key = createPrivateKey(keys[0]?.text ?? '');
    return new X509Certificate(certificate?.text ?? '').checkPrivateKey(key)
      ? undefined
      : 'the private key belongs to another certificate than the first one';
  } catch {
    return 'its private key cannot be read';
  }
}

/** In the form of Node's `tls.connect`; undefined if nothing is special. */
export function clientTls(
  ca: string,
  clientCertificate: string,
): { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined {
  if (ca === '' && clientCertificate === '') return undefined;
  const textOf = (blocks: readonly Block[], isKey: boolean): string =>
    blocks
      .filter(({ label }) => label.endsWith('PRIVATE KEY') === isKey)
      .map(({ text }) => text)
      .join('');
  const pair = blocksIn(clientCertificate);
  return {
    ...(ca !== '' && { ca: textOf(blocksIn(ca), false) }),
    ...(pair.length > 0 && { cert: textOf(pair, false), key: textOf(pair, true) }),
  };
}
