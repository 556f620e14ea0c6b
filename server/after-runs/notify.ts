/** Whom a trigger wants told when a run is over: its param `notify`. */
export interface Notify {
  readonly url: string;
  readonly secret?: { readonly $secret: string } | undefined;
}

/** As it is kept with the run, since its trigger may be changed before the run is over. */
export function writeNotify({ url, secret }: Notify): string {
  return JSON.stringify({ url, secret: secret?.$secret });
}

export function readNotify(text: string): { readonly url: string; readonly secret: string | undefined } {
  const { url, secret } = JSON.parse(text) as { url: string; secret?: string };
  return { url, secret };
}
