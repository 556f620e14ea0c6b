import type { Params } from '../params.ts';
import { appOperations } from './apps.ts';
import type { Given, Request, Service, Several, Steps } from './service.ts';

/** Files that services make, each at an address of its own. */

/** It is fetched if the node says so. */
function downloaded(
  kind: string,
  name: string,
  [address, field, when = (params) => params.flag('download')]: readonly [
    address: string,
    field: string,
    when?: (params: Params) => boolean,
  ],
): Several {
  const make = appOperations[kind]?.[name] as (given: Given) => Request;
  const steps: Steps = (g, ask) => {
    const made = ask('made', make(g));
    const file = g.text(field, 'data');
    return {
      url: `{{ ${address} }}`,
      file,
      open: true,
      item: `{ ...(${made} ?? { }), ${JSON.stringify(file)}: one }`,
    };
  };
  return { [name]: { when, steps } };
}

const fromTemplate = ['input.download_url', 'binaryProperty'] as const;
const simply = ['input.url', 'output'] as const;
const isWithPicture = (params: Params): boolean => params.get('download') !== false;

export const madeFiles: Readonly<Record<string, Pick<Service, 'several'>>> = {
  nasa: {
    several: downloaded('nasa', 'astronomyPictureOfTheDay.get', [
      'input.hdurl ?? input.url',
      'binaryPropertyName',
      isWithPicture,
    ]),
  },
  apiTemplateIo: {
    several: {
      ...downloaded('apiTemplateIo', 'pdf.create', fromTemplate),
      ...downloaded('apiTemplateIo', 'image.create', fromTemplate),
    },
  },
  oneSimpleApi: {
    several: {
      ...downloaded('oneSimpleApi', 'website.pdf', simply),
      ...downloaded('oneSimpleApi', 'website.screenshot', simply),
      ...downloaded('oneSimpleApi', 'utility.qrCode', simply),
    },
  },
};
