/** Makes one short video at a provider, and shows its progress, the video or the error. */
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { CheckCircledIcon, ExclamationTriangleIcon, PlayIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { ProviderHealth, ProviderTest } from '@vidgen/contract/admin-providers.ts';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { sameOriginUrl } from '../api/files.ts';
import { useAsyncAction } from '../components/action.ts';
import { ErrorNotice } from '../components/states.tsx';
import { formatDuration } from '../components/text.tsx';
import { providerTestQuery, refetchProviders } from './provider-queries.ts';
import classes from './providers.module.css';

export function TestVideo(props: {
  readonly provider: Pick<ProviderHealth, 'name'>;
  /** One that the provider serves; its first by default. */
  readonly model?: string;
  readonly continueLabel: string;
  /** To correct the connection. */
  onBack?(): void;
  onContinue(): void;
}) {
  const { provider, model, continueLabel, onBack, onContinue } = props;
  const [testId, setTestId] = useState<string | null>(null);
  const { data: test, error } = useQuery({
    ...providerTestQuery(testId ?? ''),
    enabled: testId !== null,
  });
  const start = useAsyncAction(async () => {
    const path = `/admin/providers/${provider.name}/tests`;
    setTestId((await post<ProviderTest>(path, model === undefined ? undefined : { model })).id);
    await refetchProviders();
  });
  const isRunning = testId !== null && (test === undefined || test.state === 'running');
  const isDone = test?.state === 'completed';
  return (
    <Stack gap="md">
      {test === undefined ? (
        <Text fz="sm">
          Send one short video to {provider.name} to check the connection. The provider may charge
          for it; no credits are used.
        </Text>
      ) : null}
      {isRunning ? <RunningTest test={test} /> : null}
      {test && !isRunning ? <EndedTest test={test} /> : null}
      <ErrorNotice error={start.error} title="Couldn’t start the test" />
      <ErrorNotice error={error} title="Couldn’t read the test" />
      <Group justify="flex-end" gap="xs">
        {onBack && !isRunning ? (
          <Button variant="default" mr="auto" onClick={onBack}>
            Back
          </Button>
        ) : null}
        <Button variant={isDone ? 'filled' : 'default'} onClick={onContinue}>
          {isDone ? continueLabel : 'Skip'}
        </Button>
        {isDone ? null : (
          <Button
            leftSection={<PlayIcon aria-hidden />}
            loading={start.isPending || isRunning}
            onClick={start.run}
          >
            {test?.state === 'failed' ? 'Try again' : 'Run test video'}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function RunningTest({ test }: { readonly test: ProviderTest | undefined }) {
  const progress = test?.progress ?? null;
  return (
    <Stack gap="xs" role="status">
      <Text fz="sm">
        {test ? `Generating ${test.duration} s at ${test.resolution}…` : 'Sending…'}{' '}
        <Text span c="dimmed" inherit>
          {test ? formatDuration(Math.round(test.seconds)) : ''}
        </Text>
      </Text>
      <Progress
        value={progress === null ? 100 : Math.round(progress * 100)}
        animated={progress === null}
        aria-label="Progress of the test video"
      />
    </Stack>
  );
}

function EndedTest({ test }: { readonly test: ProviderTest }) {
  if (test.state === 'failed') {
    return (
      <Alert color="red" title="The test failed" icon={<ExclamationTriangleIcon aria-hidden />}>
        <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {test.detail}
        </Text>
      </Alert>
    );
  }
  const source = test.video_url === null ? undefined : sameOriginUrl(test.video_url);
  return (
    <Stack gap="xs">
      <video
        className={classes.video}
        src={source ?? test.video_url ?? undefined}
        controls
        playsInline
        muted
        autoPlay
        loop
        aria-label="Test video"
      />
      <Group gap="xs" role="status">
        <CheckCircledIcon aria-hidden color="var(--mantine-color-green-filled)" />
        <Text fz="sm">It works. Generated in {formatDuration(Math.round(test.seconds))}.</Text>
      </Group>
    </Stack>
  );
}
