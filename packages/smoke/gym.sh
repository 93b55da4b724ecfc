python - <<'P'
import gymnasium
import planbench_xl.integrations.gym
from gymnasium.utils.env_checker import check_env

check_env(gymnasium.make("planbench_xl/Mini-v0", reward="shaped").unwrapped)
P
