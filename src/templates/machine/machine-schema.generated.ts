// Generated from schemas/state.schema.json by `npm run generate`.
import type { Schema } from '../../text/json.ts';

const text: Schema = {
  "type": "string"
};
const positive: Schema = {
  "type": "integer",
  "minimum": 1
};
const contextAction: Schema = {
  "enum": [
    "compact",
    "clear"
  ]
};
const onFail: Schema = {
  "enum": [
    "retry",
    "skip",
    "abort"
  ]
};
const count: Schema = {
  "type": "integer",
  "minimum": 0
};
const texts: Schema = {
  "items": text
};
const template: Schema = {
  "required": [
    "name",
    "description",
    "steps"
  ],
  "properties": {
    "name": text,
    "description": text,
    "steps": {
      "items": {
        "required": [
          "id",
          "type"
        ],
        "properties": {
          "id": text,
          "type": {
            "enum": [
              "action",
              "loop",
              "ralph",
              "approval"
            ]
          },
          "title": text,
          "instructions": text,
          "agent": text,
          "when": text,
          "gate": text,
          "phase": text,
          "until": text,
          "n": positive,
          "context": contextAction,
          "on_fail": onFail
        }
      }
    },
    "max_pivots": positive,
    "max_retries": count,
    "loops": {
      "type": "object",
      "additionalProperties": {
        "items": {
          "required": [
            "id",
            "instructions"
          ],
          "properties": {
            "id": text,
            "instructions": text,
            "agent": text,
            "gate": text,
            "on_fail": onFail,
            "context": contextAction
          }
        }
      }
    },
    "transitions": {
      "items": {
        "required": [
          "from",
          "to",
          "context"
        ],
        "properties": {
          "from": text,
          "to": text,
          "context": {
            "enum": [
              "clear",
              "compact",
              "keep"
            ]
          },
          "preserve": texts
        }
      }
    }
  }
};
const task: Schema = {
  "required": [
    "id",
    "title",
    "status"
  ],
  "properties": {
    "id": text,
    "title": text,
    "description": text,
    "status": {
      "enum": [
        "pending",
        "in_progress",
        "done",
        "failed"
      ]
    },
    "reason": text
  }
};
const outputs: Schema = {
  "type": "object",
  "additionalProperties": text
};
const machine: Schema = {
  "required": [
    "status",
    "step",
    "stepType",
    "tasks",
    "outputs",
    "artefacts",
    "contextActionExecuted"
  ],
  "properties": {
    "status": {
      "enum": [
        "running",
        "complete",
        "failed"
      ]
    },
    "step": text,
    "stepType": {
      "type": "string"
    },
    "task": {
      "required": [
        "index",
        "id",
        "title"
      ],
      "properties": {
        "index": count,
        "id": text,
        "title": text
      }
    },
    "subStep": text,
    "ralphIteration": positive,
    "inputs": {
      "type": "object"
    },
    "passedBy": texts,
    "tasks": {
      "type": "object",
      "additionalProperties": {
        "items": task
      }
    },
    "outputs": outputs,
    "summary": text,
    "artefacts": {
      "type": "object",
      "additionalProperties": texts
    },
    "currentStepArtefacts": texts,
    "contextActionExecuted": {
      "type": "boolean"
    },
    "contextAction": {
      "required": [
        "command"
      ],
      "properties": {
        "command": {
          "enum": [
            "/compact",
            "/clear"
          ]
        },
        "requestedAt": text,
        "performedAt": text
      }
    },
    "retries": count,
    "pivots": count,
    "answered": {
      "items": {
        "required": [
          "wait",
          "as"
        ],
        "properties": {
          "wait": text,
          "as": {
            "enum": [
              "approved",
              "rejected"
            ]
          }
        }
      }
    },
    "sentBack": outputs,
    "cameFrom": text,
    "preserved": texts,
    "notCarriedOver": texts,
    "reason": text
  }
};
export const schema: Schema = {
  "properties": {
    "template": template,
    "machine": machine
  }
};
