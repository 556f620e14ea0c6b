import type { Context } from './context.ts';
import type { Step } from './workflow.ts';

/** Files of items: fields of them here, and beside their fields there. */

/** An expression of whether a value is a file. */
export const isFile = (value: string): string => `typeOf(${value}) == "object" && has(${value}, "$file")`;

/** Settings of a step that name files. */
const READS_FILES =
  /binary|attachment|inputDataFieldName|extractFromFile|spreadsheetFile|readPDF|compression|editImage|readWriteFile|"(?:upload|sendPhoto|sendDocument|sendAudio|sendVideo|transcribe|base64|googleDrive|dropbox|s3|awsS3|ftp)"/i;
const MAKES_FILES =
  /binary|download|attachment|convertToFile|spreadsheetFile|readWriteFile|compression|moveBinaryData|formTrigger|"(?:s3|awsS3|ftp|webhook|file|image|audio)"|"responseFormat":"file"/i;

interface Files {
  readonly reads: boolean;
  readonly makes: boolean;
}

/** By step, since the settings of a step may be long, and many others ask for them. */
const filesOf = new WeakMap<Step, Files>();

function filesIn(step: Step): Files {
  let found = filesOf.get(step);
  if (found === undefined) {
    const text = JSON.stringify([step.kind, step.parameters]);
    found = { reads: READS_FILES.test(text), makes: MAKES_FILES.test(text) };
    filesOf.set(step, found);
  }
  return found;
}

/** Whether a step names files in its settings. */
export const readsFiles = (step: Step): boolean => filesIn(step).reads;

/** Whether a later step reads files. */
export function readsFilesLater({ job, step }: Pick<Context, 'job' | 'step'>): boolean {
  const { before, workflow } = job;
  return [...workflow.steps].some(
    ([name, one]) => before.get(name)?.has(step.name) === true && readsFiles(one),
  );
}

/** Whether items that lead to the step may have files that a later step reads. */
export function passesFiles({ job, step }: Pick<Context, 'job' | 'step'>): boolean {
  const { before, workflow } = job;
  const makes = (name: string): boolean => {
    const one = workflow.steps.get(name);
    return one !== undefined && filesIn(one).makes;
  };
  return [...(before.get(step.name) ?? [])].some(makes) && readsFilesLater({ job, step });
}
