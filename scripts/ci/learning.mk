# For make: `make check-learning` fails where the model no longer learns as when learning.json was recorded, and
# `make accept-learning` takes the new way to learn as the right one. Include it, or copy it.
QKVLAB ?= qkvlab
LEARNING ?= learning.json

.PHONY: check-learning accept-learning

check-learning: $(LEARNING)
	$(QKVLAB) check $(LEARNING) --junit learning.xml --png learning.png

# --update ends with 1 where it has changed the file, so that nobody accepts a change unseen.
accept-learning:
	-$(QKVLAB) check $(LEARNING) --update

$(LEARNING):
	$(QKVLAB) baseline record --seeds 0-9 --output $@
