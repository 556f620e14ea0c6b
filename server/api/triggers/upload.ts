import { createHash } from 'node:crypto';
import type { FileValue } from '#shared/file.ts';
import type { StoredFile } from '../../storage/file-store/files.ts';
import type { UploadRoom } from '../../storage/file-store/held-values.ts';

/** How much one request may upload. Sizes in bytes. */
export interface UploadLimits {
  /** For each file. */
  readonly fileBytes: number;
  /** For all files together. */
  readonly totalBytes: number;
  /** How many files. */
  readonly files: number;
  /** For all texts of a form together, with the names of their fields. */
  readonly textBytes: number;
}

/** The limits of a form's field for files. */
export interface FieldLimits {
  /** For each file. */
  readonly maxBytes: number;
  /** How many files. */
  readonly most: number;
}

/** A body whose files are stored. */
export class Upload {
  /** The texts of a form: names and values in turn. */
  readonly pairs: string[] = [];
  /** The files of a form by field; a body that is one file has the field ''. */
  readonly files: { readonly field: string; readonly stored: StoredFile }[] = [];
  /** For a form with `fields`: the fields whose files were not stored, and why. */
  readonly refused = new Map<string, 'file_too_large' | 'too_many_values'>();
  /** Whether files of a form were not stored because the sender, or all senders of its kind, exceed their room. */
  isFull = false;
  /** The room of the stored files, to be released once they are held or deleted. */
  readonly room: UploadRoom | undefined;

  constructor(room?: UploadRoom) {
    this.room = room;
  }

  get handles(): string[] {
    return this.files.map(({ stored }) => stored.value.$file);
  }

  /** The files by field, each a list. */
  byField(): Map<string, FileValue[]> {
    const fields = new Map<string, FileValue[]>();
    for (const { field, stored } of this.files)
      fields.set(field, [...(fields.get(field) ?? []), stored.value]);
    return fields;
  }

  /** The same for equal uploads. */
  fingerprint(): Buffer {
    const files = this.files.map(({ field, stored: { value, sha256 } }) => [
      field,
      value.name,
      value.type,
      sha256,
    ]);
    return createHash('sha256')
      .update(JSON.stringify([this.pairs, files]))
      .digest();
  }
}
