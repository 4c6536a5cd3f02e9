/**
 * The playground: a form built from the catalog, its estimated cost, the resulting video, and the
 * same request as code. Its state is in the URL.
 */
import { Button, Stack } from '@mantine/core';
import { ResetIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { Model } from '@vidgen/contract/models-response.ts';
import { serviceUrl } from '../api/base-path.ts';
import { useAccount } from '../api/session.ts';
import { CodeTabs } from '../components/code.tsx';
import { Page, SectionCard } from '../components/page.tsx';
import {
  CardSkeleton,
  EmptyState,
  ErrorNotice,
  Loaded,
  PageSkeleton,
} from '../components/states.tsx';
import { Note } from '../components/text.tsx';
import { FormFields } from './form-fields.tsx';
import { requestOf } from './generation-request.ts';
import classes from './playground.module.css';
import { accountModelsQuery } from './playground-queries.ts';
import { ResultPanel } from './result-panel.tsx';
import { snippetsOf } from './snippets.ts';
import { SubmitBar } from './submit-bar.tsx';
import { TaskHistory } from './task-history.tsx';
import { usePlayground } from './use-playground.ts';

export function PlaygroundPage() {
  const { id, mode, account } = useAccount();
  const isLive = mode === 'live' && account?.demo !== true;
  return (
    <Loaded
      query={useQuery(accountModelsQuery(id))}
      what="models"
      placeholder={<PageSkeleton hasCards />}
    >
      {({ items, live_previews, live_unserved }) => {
        const models = items.filter((model) => !(isLive && live_unserved?.includes(model.id)));
        return models.length === 0 ? (
          <EmptyState title="No models available">
            An administrator needs to configure a provider first.
          </EmptyState>
        ) : (
          <Playground key={id} models={models} livePreviews={live_previews} />
        );
      }}
    </Loaded>
  );
}

/** Says why a live task returns a preview. `model` is null if a provider serves it. */
function WhyPreview(props: { readonly isDemo: boolean; readonly model: string | null }) {
  const { isDemo, model } = props;
  if (!isDemo && model === null) return null;
  return (
    <Note>
      {isDemo
        ? 'Tasks of the demo account always return previews. To use a provider, create an account.'
        : `No provider is connected for ${model}: you get a preview.`}
    </Note>
  );
}

function Playground(props: {
  readonly models: readonly Model[];
  readonly livePreviews: readonly string[];
}) {
  const { models, livePreviews } = props;
  const account = useAccount();
  const playground = usePlayground(account, models);
  const { form, model, taskId, create, submitting } = playground;
  return (
    <Page
      title="Playground"
      description="Try out a request, then copy it as code."
      actions={
        <Button
          variant="default"
          leftSection={<ResetIcon aria-hidden />}
          onClick={playground.startOver}
        >
          Clear
        </Button>
      }
    >
      <div className={classes.layout}>
        {form === null ? (
          <CardSkeleton h={560} />
        ) : (
          <FormFields
            {...playground.fields}
            form={form}
            submit={
              <>
                {account.mode === 'live' ? (
                  <WhyPreview
                    isDemo={account.account?.demo === true}
                    model={livePreviews.includes(model.id) ? model.id : null}
                  />
                ) : null}
                <div className={classes.submit}>
                  <ErrorNotice error={submitting.serverError} title="Couldn’t create the task" />
                  <SubmitBar
                    estimate={submitting.estimate}
                    reason={submitting.reason}
                    isPending={create.isPending}
                    onSubmit={submitting.submit}
                  />
                </div>
              </>
            }
          />
        )}
        <Stack gap="lg" className={classes.aside ?? ''} ref={playground.resultRef}>
          <ResultPanel
            taskId={taskId}
            isCreating={create.isPending}
            type={form?.type ?? 'text-to-video'}
            onSample={playground.takeSample}
            onRetried={playground.showTask}
          />
          <TaskHistory playground={{ taskId }} />
        </Stack>
      </div>
      {form === null ? null : (
        <SectionCard title="Request code">
          <CodeTabs snippets={snippetsOf(requestOf(form, model), { serviceUrl })} maxHeight={420} />
        </SectionCard>
      )}
    </Page>
  );
}
