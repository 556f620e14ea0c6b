import type { ErrorEntry } from './entry.ts';

/** Files as values, and folders of files. */
export const fileErrors = {
  file_not_found: {
    status: 404,
    meaning: 'There is no such file here: its run does not have it, or it was deleted.',
    remedy:
      'A file belongs to the run that received or created it, and to stored values of that run. Pass the file on as a value, and do not write its handle by hand.',
  },
  file_gone: {
    status: 410,
    meaning: 'The bytes of the file are no longer stored.',
    remedy: 'Upload or create it again. Files that nothing needs any more are deleted after a day.',
  },
  file_changed: {
    status: 409,
    meaning: 'A file of a folder was changed, replaced or removed after the run had read where it is.',
    remedy:
      'Start the run again. Programs that write into the folder should give new files new names. A durable run has a copy, which stays as it is.',
  },
  file_too_large: {
    status: 413,
    meaning: 'A file is larger than the limit.',
    remedy: 'Send a smaller file, or raise the limit that the message names.',
  },
  file_type_refused: {
    status: 422,
    meaning: 'A file has another type than its field takes.',
    remedy: 'Choose a file of a type that the field names. Its first bytes decide, not its name.',
  },
  uploads_full: {
    status: 503,
    meaning:
      'The uploads have reached their size limit: those of all people without a login, of one address, or of one caller of chats.',
    remedy:
      'Send the message or the form without files, or try again later: an upload counts for one to two days. The owner of a server can raise WEFT_GUEST_FILES, close a page, or lower its `perMinute` or the `rate` of a form.',
  },
  archive_refused: {
    status: 422,
    meaning: 'An archive is damaged, encrypted, or holds more than the limits of the node allow.',
    remedy: 'Check the archive; `maxBytes`, `maxFiles` and `maxRatio` of the node raise its limits.',
  },
  folder_unknown: {
    status: 404,
    meaning: 'Neither a folder of files nor a connection has this name.',
    remedy: 'Use a name of WEFT_FOLDERS or of an S3 connection, or ask the administrator to add one.',
  },
  folder_path_refused: {
    status: 403,
    meaning: 'The path does not stay inside its folder, or is no plain path.',
    remedy:
      'Use a relative path such as `2026/report.csv`, without `..`, and no link that leads out of the folder.',
  },
  folder_file_not_found: {
    status: 404,
    meaning: 'There is no file at this path of the folder.',
    remedy: 'Check the path; `file.list` shows what is there.',
  },
  folder_file_exists: {
    status: 409,
    meaning: 'There is already a file at this path of the folder.',
    remedy: 'Choose another path, or set `existing` of the node to `replace`.',
  },
} as const satisfies Record<string, ErrorEntry>;
