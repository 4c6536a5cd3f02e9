/** A bucket keeps what every store guarantees, and what is particular to one over the network. */
import { after } from 'node:test';
import { startFakeS3 } from '../../proof/kit/fake-s3.ts';
import { describeStorage } from '../../proof/kit/storage-conformance.ts';
import { createS3Storage } from './s3.ts';
import { createS3Client } from './s3-client.ts';
import { parseS3Url } from './s3-settings.ts';

const fake = await startFakeS3();
after(() => fake.close());
const [accessKeyId, secretAccessKey] = [...fake.keys][0]!;
const credentials = async () => ({ accessKeyId, secretAccessKey, sessionToken: null });
const settings = parseS3Url(fake.url('tests/'));
const partBytes = 64 * 1024;
const options = { settings, credentials, retryDelayMs: 1, partBytes };
const client = createS3Client(options);
after(() => client.close());

const failingWith = (status: number, code: string) => async () => {
  fake.fault = () => ({ status, code });
};

describeStorage('a bucket', {
  async open() {
    fake.objects.clear();
    fake.uploads.clear();
    fake.fault = () => null;
    return createS3Storage(client);
  },
  async leftovers() {
    const uploads = [...fake.uploads.values()].map(({ key }) => `${key} (parts)`);
    return [...fake.objects.keys(), ...uploads].map((key) => key.slice('tests/'.length)).sort();
  },
  async interruptPut(key) {
    const parts = new Map([[1, Buffer.from('half')]]);
    fake.uploads.set('abandoned', {
      key: `tests/${key}`,
      startedAt: new Date(),
      headers: {},
      parts,
    });
  },
  partBytes,
  failing: {
    not_allowed: failingWith(403, 'AccessDenied'),
    throttled: failingWith(503, 'SlowDown'),
    full: failingWith(507, 'InsufficientStorage'),
    unreachable: async () => {
      fake.fault = () => 'reset';
    },
  },
});
