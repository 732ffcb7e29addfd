(?:colour){e<=1}
