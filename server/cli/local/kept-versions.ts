import { join } from 'node:path';
import type { FlowService } from '../../flows/flow-types.ts';
import { ServiceError } from '../../errors/errors.ts';
import { createVersionStore } from '../../flows/versions.ts';

/** The versions of flows in the data folder, read as a running server reads them. Throws `version_not_found`. */
export function keptVersions(data: string): Pick<FlowService, 'versionText'> {
  const versions = createVersionStore(join(data, 'versions'), () => {});
  return {
    async versionText(id, version) {
      const text = await versions.text(id, version);
      if (text === undefined) throw new ServiceError('version_not_found');
      return text;
    },
  };
}
