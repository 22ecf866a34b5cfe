// Generated from schemas/settings.schema.json by `npm run generate`.
import type { Schema } from '../text/json.ts';

const project_path: Schema = {
  "pattern": "^(?![/\\\\~]|[A-Za-z]:)(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))(?!.*\\*\\*)[^\\u0000-\\u001f]+$"
};
const plan_format: Schema = {
  "enum": [
    "spec-kit",
    "openspec",
    "planning-with-files",
    "gsd",
    "superpowers",
    "kiro"
  ]
};
const id: Schema = {
  "pattern": "^[\\p{L}\\p{N}_-]{1,100}$"
};
const filled: Schema = {
  "pattern": "\\S"
};
const artifact: Schema = {
  "required": [
    "id",
    "type"
  ],
  "properties": {
    "id": id,
    "type": {
      "enum": [
        "json",
        "markdown",
        "directory",
        "work_plugin",
        "skill",
        "git_info"
      ]
    },
    "path": filled,
    "path_from_state": {
      "pattern": "^[^.[\\]*\\s]+(?:\\.[^.[\\]*]+|\\[(?:\\d+|'[^']+'|\"[^\"]+\")\\])*$"
    },
    "command": filled,
    "description": filled,
    "required": {
      "type": "boolean"
    },
    "condition": filled,
    "reload_triggers": {
      "maxItems": 100,
      "items": {
        "pattern": "^(session_start|compaction|manual|phase_start:.+|phase_transition(:.+->.+)?)$"
      }
    },
    "load_strategy": {
      "enum": [
        "all",
        "latest_only",
        "summary"
      ]
    }
  }
};
const artifacts: Schema = {
  "maxItems": 1000,
  "items": artifact
};
export const schema: Schema = {
  "properties": {
    "$schema": {
      "type": "string"
    },
    "detect": {
      "properties": {
        "local_file": project_path,
        "plans": {
          "items": project_path
        },
        "formats": {
          "items": plan_format
        }
      }
    },
    "restore": {
      "properties": {
        "startup": {
          "enum": [
            "offer",
            "full",
            "off"
          ]
        },
        "confirm": {
          "type": "boolean"
        },
        "max_chars": {
          "type": "integer",
          "minimum": 2000,
          "maximum": 8000
        },
        "inline_chars": {
          "type": "integer",
          "minimum": 0,
          "maximum": 6000
        }
      }
    },
    "reading": {
      "properties": {
        "enforce": {
          "enum": [
            "off",
            "remind",
            "block"
          ]
        }
      }
    },
    "context": {
      "properties": {
        "perform": {
          "enum": [
            "auto",
            "ask"
          ]
        },
        "record": {
          "enum": [
            "on",
            "off"
          ]
        },
        "warn": {
          "maxItems": 10,
          "items": {
            "type": "integer",
            "minimum": 1,
            "maximum": 100
          }
        }
      }
    },
    "subagents": {
      "enum": [
        "brief",
        "off"
      ]
    },
    "todo": {
      "properties": {
        "file": project_path
      }
    },
    "critical_artifacts": {
      "properties": {
        "always_load": artifacts,
        "conditional_load": artifacts,
        "phase_specific": artifacts
      }
    }
  }
};
