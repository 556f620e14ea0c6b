/** The param `notify` of a trigger: the address to notify when a run is over. */
export interface Notify {
  readonly url: string;
  readonly secret?: { readonly $secret: string } | undefined;
}

/** The text that is stored with the run, because its trigger may change before the run is over. */
export function writeNotify({ url, secret }: Notify): string {
  return JSON.stringify({ url, secret: secret?.$secret });
}

/** Reads what `writeNotify` wrote; `secret` is the name of the secret that signs the notice. */
export function readNotify(text: string): { readonly url: string; readonly secret: string | undefined } {
  const { url, secret } = JSON.parse(text) as { url: string; secret?: string };
  return { url, secret };
}
