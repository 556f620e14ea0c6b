/** The vendor's description with which a service was compared. */
export interface Compared {
  /** In a sentence: “the OpenAPI document of Asana”. */
  readonly with: string;
  /** Where it was found, and its day or version. */
  readonly at: string;
  readonly of: string;
  /** The lines that it does not describe, or not whole. */
  readonly except?: readonly string[];
}

export const openApi = (of: string, at: string, day: string): Compared => ({
  with: `the OpenAPI document of ${of}`,
  at,
  of: day,
});
export const own = (of: string, at: string, day: string): Compared => ({
  with: `${of}’s own node`,
  at,
  of: day,
});
export const google = (api: string, day: string): Compared => ({
  with: 'Google’s discovery document',
  at: `googleapis.com/discovery ${api}`,
  of: day,
});
export const client = (of: string, at: string, day: string): Compared => ({
  with: `${of}’s own client library`,
  at,
  of: day,
});
export const docs = (of: string, at: string, day: string): Compared => ({
  with: `the reference of ${of}`,
  at,
  of: day,
});
